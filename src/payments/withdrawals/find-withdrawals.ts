import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { WithdrawalDecision } from './withdraw.ts'
import type { WithdrawalNumber } from './withdrawal-number.ts'

/** A withdrawal with its decision and the status of its payout. Whole UGX. */
export type Withdrawal = {
  id: string
  amount: number
  fee: number
  phone: string
  /** `approved` and `rejected` by the gateway's staff, `cancelled` by the merchant. */
  state: 'requested' | WithdrawalDecision
  note: string | null
  status: string
  createdAt: Date
  completedAt: Date | null
  /** Made by the standing order. */
  standing: boolean
}

const MAX_WITHDRAWALS_LISTED = 50

const LIST_WITHDRAWALS = statement<Withdrawal>(
  'list withdrawals',
  `select p.id, p.amount, p.fee, p.recipient_phone as phone, w.state, w.note, p.status, p.created_at as "createdAt",
     p.completed_at as "completedAt",
     exists (select from standing_order_runs r where r.merchant_id = p.merchant_id and r.withdrawal_id = p.id) as standing
   from payouts p join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.id
   where p.merchant_id = $1 and p.kind = 'withdrawal' order by p.created_at desc, p.id desc limit $2`,
)
const FIND_NUMBER = statement<WithdrawalNumber>(
  'withdrawal number to show',
  'select phone, verified_at is not null as verified, waits_until as "waitsUntil" from withdrawal_numbers where merchant_id = $1',
)

/** The newest fifty withdrawals of a merchant. */
export const listWithdrawals = (app: App, { merchantId }: Caller): Promise<Withdrawal[]> =>
  app.db.query(LIST_WITHDRAWALS, [merchantId, MAX_WITHDRAWALS_LISTED])

/** The number that the merchant may withdraw to, or null. */
export async function findWithdrawalNumber(
  app: App,
  { merchantId }: Pick<Caller, 'merchantId'>,
): Promise<WithdrawalNumber | null> {
  const [number] = await app.db.query(FIND_NUMBER, [merchantId])
  return number ?? null
}
