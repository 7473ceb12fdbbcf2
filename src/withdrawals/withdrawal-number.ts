import type { Actor } from '../actors/actor.ts'
import { allow, requireLive } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import { requirePhone } from '../platform/phone.ts'
import { notFound, Refusal } from '../platform/refusal.ts'

/** The number to which a merchant may withdraw, and whether staff have verified it (G66). */
export type WithdrawalNumber = { phone: string; verified: boolean }

const SET = statement<WithdrawalNumber>(
  'set withdrawal number',
  `insert into withdrawal_numbers (merchant_id, phone, set_at) values ($1, $2, $3)
   on conflict (merchant_id) do update set phone = excluded.phone, set_at = excluded.set_at,
     verified_at = case when withdrawal_numbers.phone = excluded.phone then withdrawal_numbers.verified_at end
   returning phone, verified_at is not null as verified`,
)
const VERIFY = statement<WithdrawalNumber>(
  'verify withdrawal number',
  `update withdrawal_numbers set verified_at = coalesce(verified_at, $2) where merchant_id = $1
   returning phone, verified_at is not null as verified`,
)
const READ =
  'select phone, verified_at is not null as verified from withdrawal_numbers where merchant_id = $1'
const SHOW = statement<WithdrawalNumber>('withdrawal number as it is', READ)
const FIND = statement<WithdrawalNumber>('withdrawal number', `${READ} for share`)
const LOCK = statement<WithdrawalNumber>('lock withdrawal number', `${READ} for no key update`)

/** Sets the number; a new one must be verified again. Throws Refusal when it is no phone. */
export async function setWithdrawalNumber(
  app: App,
  actor: Actor,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<WithdrawalNumber> {
  allow(actor, 'withdrawal.number', merchantId)
  requireLive(actor)
  const normalised = requirePhone(phone, 'phone')
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[before], [set]] = await tx.send(
      call(FIND, merchantId),
      call(SET, merchantId, normalised, at.toISOString()),
    )
    assert(set, 'an upsert answers with its row')
    const act = { actor, action: 'withdrawal.number', at, merchantId, mode: 'live' } as const
    return { value: set, last: [auditRow({ ...act, before: before ?? null, after: set })] }
  })
}

/**
 * Records that staff have verified this number, which must still be the merchant's own: whoever has looked at one does not verify another
 * one. Throws Refusal: 404 where there is none, 409 when another stands there.
 */
export async function verifyWithdrawalNumber(
  app: App,
  actor: Actor,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<WithdrawalNumber> {
  allow(actor, 'withdrawal.verify', merchantId)
  const looked = requirePhone(phone, 'phone')
  const at = app.clock.now()
  return app.db.transaction<WithdrawalNumber>(async (tx) => {
    const [[set]] = await tx.send(call(LOCK, merchantId))
    if (!set) throw notFound('withdrawal number')
    if (set.phone !== looked) throw numberChanged()
    const [[verified]] = await tx.send(call(VERIFY, merchantId, at.toISOString()))
    assert(verified, 'a locked row is there')
    const act = { actor, action: 'withdrawal.verify', at, merchantId, mode: 'live' } as const
    return { value: verified, last: [auditRow({ ...act, after: verified })] }
  })
}

const numberChanged = () =>
  new Refusal(409, 'conflict', 'the merchant has set another number meanwhile; look at it again')

export const withdrawalNumber = (merchantId: number) => call(FIND, merchantId)

/** The number of a merchant, or 404. */
export async function getWithdrawalNumber(
  { db }: Pick<App, 'db'>,
  merchantId: number,
): Promise<WithdrawalNumber> {
  const found = await firstRow(db.query(SHOW, [merchantId]))
  if (found === null) throw notFound('withdrawal number')
  return found
}
