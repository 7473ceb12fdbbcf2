import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import {
  type CrossCellList,
  type CrossCellPage,
  type PageCursors,
  readCrossCellPage,
} from '../../api/http/lists/cross-cell-list.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'

type WaitingRow = { at: Date; key: string; publicId: string; name: string }

/** A withdrawal that waits for a decision. `key` is its id; whole UGX. `standing`: of a standing order, above its limit. */
export type WaitingWithdrawal = WaitingRow & {
  amount: number
  fee: number
  phone: string
  verified: boolean
  standing: boolean
}
/** A number to withdraw to that staff have not verified yet. */
export type WaitingNumber = WaitingRow & { phone: string }

const waitingWithdrawalsSql = (compare: '>' | '<', order: 'asc' | 'desc') =>
  `select p.created_at as at, p.id as key, m.public_id as "publicId", m.name, p.amount, p.fee, p.recipient_phone as phone,
     coalesce(n.phone = p.recipient_phone and n.verified_at is not null, false) as verified,
     exists (select from standing_order_runs r where r.merchant_id = w.merchant_id and r.withdrawal_id = w.id) as standing
   from withdrawals w join payouts p on p.merchant_id = w.merchant_id and p.id = w.id
     join merchants m on m.id = p.merchant_id left join withdrawal_numbers n on n.merchant_id = p.merchant_id
   where w.state = 'requested' and (p.created_at, p.id) ${compare} ($1::timestamptz, $2)
   order by p.created_at ${order}, p.id ${order} limit $3`
const WAITING_WITHDRAWALS: CrossCellList<WaitingWithdrawal> = {
  forward: statement('waiting withdrawals', waitingWithdrawalsSql('>', 'asc')),
  backward: statement('waiting withdrawals, back', waitingWithdrawalsSql('<', 'desc')),
}
const waitingNumbersSql = (compare: '>' | '<', order: 'asc' | 'desc') =>
  `select n.set_at as at, m.public_id as key, m.public_id as "publicId", m.name, n.phone
   from withdrawal_numbers n join merchants m on m.id = n.merchant_id
   where n.verified_at is null and (n.set_at, m.public_id) ${compare} ($1::timestamptz, $2)
   order by n.set_at ${order}, m.public_id ${order} limit $3`
const WAITING_NUMBERS: CrossCellList<WaitingNumber> = {
  forward: statement('waiting numbers', waitingNumbersSql('>', 'asc')),
  backward: statement('waiting numbers, back', waitingNumbersSql('<', 'desc')),
}

/** Withdrawals that wait for a decision, the oldest first. */
export function listWaitingWithdrawals(
  gateway: Gateway,
  actor: Actor,
  around: PageCursors,
): Promise<CrossCellPage<WaitingWithdrawal>> {
  allow(actor, 'console.read')
  return readCrossCellPage(gateway, WAITING_WITHDRAWALS, around)
}

/** Numbers to withdraw to that wait for verification, the oldest first. */
export function listWaitingNumbers(
  gateway: Gateway,
  actor: Actor,
  around: PageCursors,
): Promise<CrossCellPage<WaitingNumber>> {
  allow(actor, 'console.read')
  return readCrossCellPage(gateway, WAITING_NUMBERS, around)
}
