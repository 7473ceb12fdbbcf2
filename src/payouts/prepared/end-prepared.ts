import type { PersonCaller } from '../../actors/actor.ts'
import { allow } from '../../actors/allow.ts'
import { auditRow } from '../../actors/audit-row.ts'
import type { App } from '../../app.ts'
import { tagOf } from '../../platform/ids.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { alreadyEnded, samePerson } from './open-checks.ts'
import { PREPARED_PREFIX, type StoredPrepared } from './prepared-payout.ts'
import { dropLeftWishes } from './set-checker-rule.ts'
import { withdrawLeft } from './withdraw-left.ts'
import { endPreparedRow, expireDue, lockPrepared } from './write-prepared.ts'

type Ended = { id: string; reason: string | null }

const EXPIRED_AT_ONCE = 500

/** A second person says no; the reason is told to whoever prepared it. The same again changes nothing. Throws Refusal. */
export async function rejectPrepared(app: App, caller: PersonCaller, ended: Ended): Promise<void> {
  allow(caller, 'payout.reject')
  return end(app, caller, { ...ended, status: 'rejected', action: 'payout.reject' })
}

/** Whoever prepared it takes it back. The same again changes nothing. Throws Refusal. */
export async function withdrawPrepared(app: App, caller: PersonCaller, ended: Ended): Promise<void> {
  allow(caller, 'payout.withdraw')
  return end(app, caller, { ...ended, status: 'withdrawn', action: 'payout.withdraw' })
}

type How =
  | { status: 'rejected'; action: 'payout.reject' }
  | { status: 'withdrawn'; action: 'payout.withdraw' }

function end(app: App, caller: PersonCaller, { id, reason, status, action }: Ended & How): Promise<void> {
  const at = app.clock.now()
  const { merchantId, mode, personId, name } = caller
  return app.db.transaction<void>(async (tx) => {
    const own = tagOf(PREPARED_PREFIX, id) === caller.tag
    const [[row]] = await tx.send(lockPrepared(own ? [{ merchantId, id }] : []))
    if (!row || row.mode !== mode) throw notFound('prepared payout')
    judgeEnd(row, caller, status)
    if (row.status === status) return { value: undefined }
    if (row.status !== 'prepared') throw alreadyEnded(row.status)
    const decided = { merchantId, id, decidedBy: personId, decidedName: name, at }
    const act = { actor: caller, action, at, merchantId, mode, subject: id } as const
    const states = { before: { status: row.status }, after: { status, reason } }
    return {
      value: undefined,
      last: [endPreparedRow(decided, { status, reason }), auditRow({ ...act, ...states })],
    }
  })
}

/** Only whoever prepared it withdraws it, and only somebody else rejects it. */
function judgeEnd({ madeBy }: StoredPrepared, { personId }: PersonCaller, status: How['status']): void {
  if (status === 'rejected' && madeBy === personId) throw samePerson()
  if (status === 'withdrawn' && madeBy !== personId) throw notYours()
}

const notYours = () =>
  new Refusal(403, 'forbidden', 'only the person who prepared this may withdraw it; you may reject it')

/** Ends what nobody has decided in time, and what people have prepared who may not any more. Answers how many. */
export async function expirePrepared(app: App): Promise<number> {
  const due = expireDue(app.witness.earlier(), EXPIRED_AT_ONCE)
  return (
    (await app.db.query(due.statement, due.values)).length +
    (await withdrawLeft(app)) +
    (await dropLeftWishes(app))
  )
}
