import type { App } from '../app.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { readPhone } from '../platform/phone.ts'
import { invalidRequest } from '../platform/refusal.ts'

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
const FIND = statement<WithdrawalNumber>(
  'withdrawal number',
  'select phone, verified_at is not null as verified from withdrawal_numbers where merchant_id = $1 for share',
)

/** Sets the number; a new one must be verified again. Throws Refusal when it is no phone. */
export async function setWithdrawalNumber(
  app: App,
  merchantId: number,
  phone: string,
): Promise<WithdrawalNumber> {
  const normalised = readPhone(phone)
  if (normalised === null) throw invalidRequest('phone is not a valid phone number')
  const [row] = await app.db.query(SET, [merchantId, normalised, app.clock.now().toISOString()])
  return row as WithdrawalNumber
}

/** Records that staff have verified the number; null when there is none. */
export async function verifyWithdrawalNumber(app: App, merchantId: number): Promise<WithdrawalNumber | null> {
  const [row] = await app.db.query(VERIFY, [merchantId, app.clock.now().toISOString()])
  return row ?? null
}

export const withdrawalNumber = (merchantId: number) => call(FIND, merchantId)
