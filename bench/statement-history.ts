import type { Client } from 'pg'
import { shortDigestSql } from '../src/platform/text/short-digest.ts'
import { chunksOf, idTail } from './chunks.ts'
import type { BenchMerchant } from './stage.ts'

/** A month of one merchant's test mode: so many items, nine in ten of them charges, the rest payouts. */
export type BusyMonth = { merchant: BenchMerchant; start: Date; end: Date; items: number }

/** Of a hundred items 90 are charges that were paid, 9 payouts that arrived, and 1 a payout that came back: two lines. */
export const LINES_A_HUNDRED = 101

const ITEMS = `select n, n % 100 < 90 as charged, n % 100 = 99 as returned, ${idTail({ at: 'at', tag: '$2::text', own: 'n::text' })} as own, at
  from (select n, date_trunc('milliseconds', $3::timestamptz + ($4::timestamptz - $3::timestamptz) * (n / $5::float8)) as at
    from generate_series($6::int, $7::int) n) t`
const CHARGES = `insert into charges (merchant_id, id, mode, status, amount, fee, channel, phone, phone9, reference,
    rail_reference, rail_transaction_id, created_at, completed_at, hold_until, settled_at, settlement_id, phone_digest)
  select $1::bigint, 'txn_' || own, 'test', 'succeeded', 20000, 300, 'op1_momo',
    '256700' || lpad((n % 1000000)::text, 6, '0'), '700' || lpad((n % 1000000)::text, 6, '0'), 'INV-' || n,
    md5($2::text || n)::uuid::text, (10000000000 + n)::text, at, at, at, at, 'setl_' || own, ${shortDigestSql(`'txn_' || own || ' 256700' || lpad((n % 1000000)::text, 6, '0')`)}
  from (${ITEMS}) i where charged`
const PAYOUTS = `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone,
    recipient_name, reference, rail_reference, failure_reason, created_at, completed_at)
  select $1::bigint, 'pout_' || own, 'test', 'payout', case when returned then 'failed' else 'succeeded' end,
    5000, 200, 'op1_momo', '256700' || lpad((n % 1000000)::text, 6, '0'), 'Person ' || n, 'SALARY-' || n,
    md5($2::text || n)::uuid::text, case when returned then 'recipient_not_found' end, at, at
  from (${ITEMS}) i where not charged`
const TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select $1::bigint, 'test', $8::bigint + row_number() over (order by n, part), kind, prefix || own, debit, credit,
    amount, at
  from (${ITEMS}) i
  join (values (1, true, null, 'txn_', 'charge_net', 'rail:op1_momo', 'available', 19700),
      (2, true, null, 'txn_', 'charge_fee', 'rail:op1_momo', 'fees', 300),
      (1, false, null, 'pout_', 'payout_reserve', 'available', 'in_flight', 5200),
      (2, false, false, 'pout_', 'payout_sent', 'in_flight', 'rail:op1_momo', 5000),
      (3, false, false, 'pout_', 'payout_fee', 'in_flight', 'fees', 200),
      (2, false, true, 'pout_', 'payout_return', 'in_flight', 'available', 5200))
    p (part, of_charge, of_return, prefix, kind, debit, credit, amount)
    on p.of_charge = i.charged and (p.of_return is null or p.of_return = i.returned)`
const HEAD = `update ledger_heads h set seq = s.seq, available = s.available from (
    select max(seq) as seq, (sum(amount) filter (where credit = 'available')
      - coalesce(sum(amount) filter (where debit = 'available'), 0))::bigint as available
    from transfers where merchant_id = $1 and mode = 'test') s
  where h.merchant_id = $1 and h.mode = 'test'`

/** Writes the month as the product would have left it: set-based, with gapless numbers and the head. */
export async function writeBusyMonth(db: Client, month: BusyMonth): Promise<void> {
  const { merchant, start, end, items } = month
  for (const { first, last } of chunksOf(items)) {
    const values = [merchant.id, merchant.tag, start.toISOString(), end.toISOString(), items, first, last]
    const { rows } = await db.query(
      `select coalesce(max(seq), 0) as seq from transfers where merchant_id = $1 and mode = 'test'`,
      [merchant.id],
    )
    await db.query(CHARGES, values)
    await db.query(PAYOUTS, values)
    await db.query(TRANSFERS, [...values, rows[0].seq])
  }
  await db.query(HEAD, [merchant.id])
  await db.query('vacuum analyze')
}
