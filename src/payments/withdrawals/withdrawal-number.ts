import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { readMailOwners } from '../../merchants/account/mail-owners.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { requirePhone } from '../../platform/text/phone.ts'
import { shortDigest } from '../../platform/text/short-digest.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { lockCurrentOrder, waitForNumber } from './standing-orders/standing-order.ts'

/**
 * The number to which a merchant may withdraw, and whether staff have verified it (G66). `waitsUntil`: a number that replaces another one
 * can be used only after a day, however it was set; the database enforces this (migration 0095). Null for a first number.
 */
export type WithdrawalNumber = { phone: string; verified: boolean; waitsUntil: Date | null }

const NUMBER_COLUMNS = 'phone, verified_at is not null as verified, waits_until as "waitsUntil"'
const SET_NUMBER = statement<WithdrawalNumber>(
  'set withdrawal number',
  `insert into withdrawal_numbers (merchant_id, phone, set_at) values ($1, $2, $3)
   on conflict (merchant_id) do update set phone = excluded.phone, set_at = excluded.set_at,
     verified_at = case when withdrawal_numbers.phone = excluded.phone then withdrawal_numbers.verified_at end
   returning ${NUMBER_COLUMNS}`,
)
const VERIFY_NUMBER = statement<WithdrawalNumber>(
  'verify withdrawal number',
  `update withdrawal_numbers set verified_at = coalesce(verified_at, $2) where merchant_id = $1
   returning ${NUMBER_COLUMNS}`,
)
const READ_NUMBER_SQL = `select ${NUMBER_COLUMNS} from withdrawal_numbers where merchant_id = $1`
const READ_NUMBER = statement<WithdrawalNumber>('withdrawal number as it is', READ_NUMBER_SQL)
const LOCK_NUMBER_FOR_SHARE = statement<WithdrawalNumber>('withdrawal number', `${READ_NUMBER_SQL} for share`)
const LOCK_NUMBER = statement<WithdrawalNumber>('lock withdrawal number', `${READ_NUMBER_SQL} for no key update`)

/**
 * Sets the number; another number than before must be verified anew, and a standing order waits for staff again. Throws Refusal if
 * it is not a phone.
 */
export async function setWithdrawalNumber(
  app: App,
  actor: Actor,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<WithdrawalNumber> {
  allow(actor, 'withdrawal.number', merchantId)
  requireLiveMode(actor)
  const normalised = requirePhone(phone, 'phone')
  const at = app.clock.now()
  const [before, set] = await app.db.transaction(async (tx) => {
    const [[order], [before], [set]] = await tx.send(
      lockCurrentOrder(merchantId),
      call(LOCK_NUMBER_FOR_SHARE, merchantId),
      call(SET_NUMBER, merchantId, normalised, at.toISOString()),
    )
    assert(set, 'an upsert answers with its row')
    const waits = order?.state === 'approved' && before?.phone !== set.phone ? [waitForNumber(merchantId, at)] : []
    const act = { actor, action: 'withdrawal.number', at, merchantId, mode: 'live' } as const
    return {
      value: [before, set] as const,
      last: [...waits, auditRow({ ...act, before: before ?? null, after: { ...set, digest: digestPhone(set) } })],
    }
  })
  if (before && before.phone !== set.phone) await notifyOwners(app, actor, { merchantId, set, at })
  return set
}

/**
 * Records that staff have verified `phone`, which must still be the merchant's number: a number set since they looked at it is not
 * verified. Throws Refusal: 404 if there is no number, 409 if it is another one.
 */
export async function verifyWithdrawalNumber(
  app: App,
  actor: Actor,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<WithdrawalNumber> {
  allow(actor, 'withdrawal.verify', merchantId)
  const checked = requirePhone(phone, 'phone')
  const at = app.clock.now()
  return app.db.transaction<WithdrawalNumber>(async (tx) => {
    const [[set]] = await tx.send(call(LOCK_NUMBER, merchantId))
    if (!set) throw notFound('withdrawal number')
    if (set.phone !== checked) throw numberChanged()
    const [[verified]] = await tx.send(call(VERIFY_NUMBER, merchantId, at.toISOString()))
    assert(verified, 'a locked row is there')
    const act = { actor, action: 'withdrawal.verify', at, merchantId, mode: 'live' } as const
    return {
      value: verified,
      last: [auditRow({ ...act, after: { ...verified, digest: digestPhone(verified) } })],
    }
  })
}

type NumberChange = { merchantId: number; set: WithdrawalNumber; at: Date }

/**
 * Mails the owners after the commit in the cell; mails have a database of their own. If the process dies in between, no mail is written,
 * but the number still waits for a day.
 */
async function notifyOwners(app: App, actor: Actor, { merchantId, set, at }: NumberChange): Promise<void> {
  const until = set.waitsUntil === null ? '' : kampalaTime(set.waitsUntil)
  const mails = (await readMailOwners(app, merchantId)).map(({ email, handle: business }) =>
    addMail(app, {
      ...{ to: email, template: 'number-changed', at },
      values: { business, who: actorName(actor), ends: set.phone.slice(-3), until },
    }),
  )
  await app.directory.queries(...mails)
}

/** Digest of the phone, which the audit masks; `verify` compares it. */
const digestPhone = ({ phone }: WithdrawalNumber) => shortDigest(phone).toString('hex')

/** Why nothing may be sent to this number yet, or null. Two clocks must agree that the wait is over: one that runs ahead does not end it. */
export const findWaitReason = ({ witness }: Pick<App, 'witness'>, { waitsUntil }: WithdrawalNumber): string | null =>
  waitsUntil !== null && waitsUntil > witness.earlier()
    ? `the number to withdraw to was changed: withdrawals to it wait until ${kampalaTime(waitsUntil)}`
    : null

const numberChanged = () =>
  new Refusal(409, 'conflict', 'the merchant has set another number meanwhile; look at it again')

/** Reads the merchant's number and locks it against a change until the commit. */
export const shareWithdrawalNumber = (merchantId: number) => call(LOCK_NUMBER_FOR_SHARE, merchantId)

/** Returns the merchant's number. Throws 404 `withdrawal number not found`. */
export async function getWithdrawalNumber({ db }: Pick<App, 'db'>, merchantId: number): Promise<WithdrawalNumber> {
  const number = await firstRow(db.query(READ_NUMBER, [merchantId]))
  if (number === null) throw notFound('withdrawal number')
  return number
}
