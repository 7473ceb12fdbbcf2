import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { preparedAlreadyDecided, samePerson } from './open-checks.ts'
import { PREPARED_PREFIX, type StoredPrepared } from './prepared-payout.ts'
import { dropChangesWithoutRole } from './set-checker-rule.ts'
import { withdrawWithoutRole } from './withdraw-without-role.ts'
import { endPreparedRow, expireDuePrepared, lockPrepared } from './write-prepared.ts'

type EndPreparedInput = { id: string; reason: string | null }

const MAX_EXPIRED_PER_RUN = 500

/** Rejects, as a second person, what was prepared; the person who prepared it is shown the reason. A repeat changes nothing. Throws Refusal. */
export async function rejectPrepared(app: App, caller: PersonCaller, input: EndPreparedInput): Promise<void> {
  allow(caller, 'payout.reject')
  return endPrepared(app, caller, { ...input, status: 'rejected', action: 'payout.reject' })
}

/** Withdraws what the caller has prepared. A repeat changes nothing. Throws Refusal. */
export async function withdrawPrepared(app: App, caller: PersonCaller, input: EndPreparedInput): Promise<void> {
  allow(caller, 'payout.withdraw')
  return endPrepared(app, caller, { ...input, status: 'withdrawn', action: 'payout.withdraw' })
}

type EndStatus = { status: 'rejected'; action: 'payout.reject' } | { status: 'withdrawn'; action: 'payout.withdraw' }

function endPrepared(
  app: App,
  caller: PersonCaller,
  { id, reason, status, action }: EndPreparedInput & EndStatus,
): Promise<void> {
  const at = app.clock.now()
  const { merchantId, mode, personId, name } = caller
  return app.db.transaction<void>(async (tx) => {
    const own = parseTag(PREPARED_PREFIX, id) === caller.tag
    const [[row]] = await tx.send(lockPrepared(own ? [{ merchantId, id }] : []))
    if (!row || row.mode !== mode) throw notFound('prepared payout')
    judgeEnd(row, caller, status)
    if (row.status === status) return { value: undefined }
    if (row.status !== 'prepared') throw preparedAlreadyDecided(row.status)
    const decision = { merchantId, id, decidedBy: personId, decidedName: name, at }
    const act = { actor: caller, action, at, merchantId, mode, subject: id } as const
    const states = { before: { status: row.status }, after: { status, reason } }
    return {
      value: undefined,
      last: [endPreparedRow(decision, { status, reason }), auditRow({ ...act, ...states })],
    }
  })
}

/** Only the person who prepared it may withdraw it, and only another person may reject it. Throws Refusal. */
function judgeEnd({ madeBy }: StoredPrepared, { personId }: PersonCaller, status: EndStatus['status']): void {
  if (status === 'rejected' && madeBy === personId) throw samePerson()
  if (status === 'withdrawn' && madeBy !== personId) throw notYours()
}

const notYours = () =>
  new Refusal(403, 'forbidden', 'only the person who prepared this may withdraw it; you may reject it')

/** Expires what was not decided in time, and withdraws what was prepared by people who lost the role for it. Returns how many. */
export async function expirePrepared(app: App): Promise<number> {
  const due = expireDuePrepared(app.witness.earlier(), MAX_EXPIRED_PER_RUN)
  return (
    (await app.db.query(due.statement, due.values)).length +
    (await withdrawWithoutRole(app)) +
    (await dropChangesWithoutRole(app))
  )
}
