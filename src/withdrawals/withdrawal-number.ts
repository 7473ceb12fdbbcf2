import { type Actor, nameOf } from '../actors/actor.ts'
import { allow, requireLive } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import { ownersToTell } from '../merchants/tell-owners.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import { kampalaTime } from '../platform/kampala.ts'
import { requirePhone } from '../platform/phone.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import { shortDigest } from '../platform/short-digest.ts'

/**
 * The number to which a merchant may withdraw, and whether staff have verified it (G66). `waitsUntil`: a number that replaces another one
 * can be used only after a day, however it was set; the database enforces this (migration 0095). Null for a first number.
 */
export type WithdrawalNumber = { phone: string; verified: boolean; waitsUntil: Date | null }

const SHOWN = 'phone, verified_at is not null as verified, waits_until as "waitsUntil"'
const SET = statement<WithdrawalNumber>(
  'set withdrawal number',
  `insert into withdrawal_numbers (merchant_id, phone, set_at) values ($1, $2, $3)
   on conflict (merchant_id) do update set phone = excluded.phone, set_at = excluded.set_at,
     verified_at = case when withdrawal_numbers.phone = excluded.phone then withdrawal_numbers.verified_at end
   returning ${SHOWN}`,
)
const VERIFY = statement<WithdrawalNumber>(
  'verify withdrawal number',
  `update withdrawal_numbers set verified_at = coalesce(verified_at, $2) where merchant_id = $1
   returning ${SHOWN}`,
)
const READ = `select ${SHOWN} from withdrawal_numbers where merchant_id = $1`
const SHOW = statement<WithdrawalNumber>('withdrawal number as it is', READ)
const FIND = statement<WithdrawalNumber>('withdrawal number', `${READ} for share`)
const LOCK = statement<WithdrawalNumber>('lock withdrawal number', `${READ} for no key update`)

/** Sets the number; another number than before must be verified anew. Throws Refusal if it is not a phone. */
export async function setWithdrawalNumber(
  app: App,
  actor: Actor,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<WithdrawalNumber> {
  allow(actor, 'withdrawal.number', merchantId)
  requireLive(actor)
  const normalised = requirePhone(phone, 'phone')
  const at = app.clock.now()
  const [before, set] = await app.db.transaction(async (tx) => {
    const [[before], [set]] = await tx.send(
      call(FIND, merchantId),
      call(SET, merchantId, normalised, at.toISOString()),
    )
    assert(set, 'an upsert answers with its row')
    const act = { actor, action: 'withdrawal.number', at, merchantId, mode: 'live' } as const
    return {
      value: [before, set] as const,
      last: [auditRow({ ...act, before: before ?? null, after: { ...set, digest: digestOf(set) } })],
    }
  })
  if (before && before.phone !== set.phone) await tellOwners(app, actor, { merchantId, set, at })
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
    const [[set]] = await tx.send(call(LOCK, merchantId))
    if (!set) throw notFound('withdrawal number')
    if (set.phone !== checked) throw numberChanged()
    const [[verified]] = await tx.send(call(VERIFY, merchantId, at.toISOString()))
    assert(verified, 'a locked row is there')
    const act = { actor, action: 'withdrawal.verify', at, merchantId, mode: 'live' } as const
    return {
      value: verified,
      last: [auditRow({ ...act, after: { ...verified, digest: digestOf(verified) } })],
    }
  })
}

type Told = { merchantId: number; set: WithdrawalNumber; at: Date }

/**
 * Mails the owners after the commit in the cell; mails have a database of their own. If the process dies in between, no mail is written,
 * but the number still waits for a day.
 */
async function tellOwners(app: App, actor: Actor, { merchantId, set, at }: Told): Promise<void> {
  const until = set.waitsUntil === null ? '' : kampalaTime(set.waitsUntil)
  const mails = (await ownersToTell(app, merchantId)).map(({ email, handle: business }) =>
    addMail(app, {
      ...{ to: email, template: 'number-changed', at },
      values: { business, who: nameOf(actor), ends: set.phone.slice(-3), until },
    }),
  )
  await app.directory.queries(...mails)
}

/** Digest of the phone, which the audit masks; `verify` compares it. */
const digestOf = ({ phone }: WithdrawalNumber) => shortDigest(phone).toString('hex')

/** Why nothing may be sent to this number yet, or null. Two clocks must agree that the wait is over: one that runs ahead does not end it. */
export const whyWaits = (
  { witness }: Pick<App, 'witness'>,
  { waitsUntil }: WithdrawalNumber,
): string | null =>
  waitsUntil !== null && waitsUntil > witness.earlier()
    ? `the number to withdraw to was changed: withdrawals to it wait until ${kampalaTime(waitsUntil)}`
    : null

const numberChanged = () =>
  new Refusal(409, 'conflict', 'the merchant has set another number meanwhile; look at it again')

/** Reads the merchant's number and locks it against a change until the commit. */
export const withdrawalNumber = (merchantId: number) => call(FIND, merchantId)

/** Returns the merchant's number. Throws 404 `withdrawal number not found`. */
export async function getWithdrawalNumber(
  { db }: Pick<App, 'db'>,
  merchantId: number,
): Promise<WithdrawalNumber> {
  const number = await firstRow(db.query(SHOW, [merchantId]))
  if (number === null) throw notFound('withdrawal number')
  return number
}
