import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'

/** By how much a transfer changes available + pending, as SQL over `transfers`. Whole UGX. */
export const BALANCE_CHANGE_SQL = `(case when credit in ('available', 'pending') then amount else 0 end
  - case when debit in ('available', 'pending') then amount else 0 end)`

// A ledger gets a new checkpoint after this many transfers, so that a balance sums hardly more than this many.
const TRANSFERS_BETWEEN_CHECKPOINTS = 1000
const CHECKPOINTS_PER_RUN = 100
// A ledger that is further behind is checkpointed in steps: one statement over millions of transfers would exceed its time
// limit, and the ledgers after it would never be reached.
const MAX_TRANSFERS_PER_CHECKPOINT = 100_000

const LEDGERS_BEHIND = statement<MerchantMode>(
  'ledgers without a fresh checkpoint',
  `select h.merchant_id as "merchantId", h.mode from ledger_heads h
   left join lateral (select seq from ledger_checkpoints c where c.merchant_id = h.merchant_id and c.mode = h.mode
     order by seq desc limit 1) c on true
   where h.seq - coalesce(c.seq, 0) >= $1 limit $2`,
)

const ADD_CHECKPOINT = statement(
  'add ledger checkpoint',
  `with last as (select seq, balances from ledger_checkpoints where merchant_id = $1 and mode = $2 order by seq desc limit 1),
   -- Each transfer is read once. There may be 100,000, between a handful of accounts.
   moves as (
     select kind, debit, credit, count(*) as count, sum(amount) as amount, max(seq) as seq, min(at) as first_at, max(at) as last_at
     from transfers where merchant_id = $1 and mode = $2 and seq > coalesce((select seq from last), 0)
       and seq <= coalesce((select seq from last), 0) + $4
     group by kind, debit, credit),
   accounts as (
     select account, sum(amount)::bigint as balance from (
       select debit as account, -amount as amount from moves
       union all select credit, amount from moves
       union all select key, value::bigint from last, jsonb_each_text(last.balances)) both_sides
     group by account),
   kinds as (select kind, sum(count) as count, sum(amount) as amount, sum(${BALANCE_CHANGE_SQL}) as change from moves group by kind)
   insert into ledger_checkpoints (merchant_id, mode, seq, balances, at, after_seq, sums, first_at, last_at)
   select $1, $2, m.seq, (select jsonb_object_agg(account, balance) from accounts), $3, coalesce((select seq from last), 0),
     (select jsonb_object_agg(kind, jsonb_build_object('count', count, 'amount', amount, 'change', change)) from kinds), m.first_at, m.last_at
   from (select max(seq) as seq, min(first_at) as first_at, max(last_at) as last_at from moves) m where m.seq is not null
   on conflict do nothing`,
)

/**
 * Writes a checkpoint for each ledger that is 1,000 (`every`) transfers ahead of its last one, at most 100,000 (`step`) further on: the
 * balance of each account, and the sums of the transfers since the last one (ledger.md section 10). Returns the number of ledgers.
 */
export async function checkpointLedgers(
  db: Database,
  now: Date,
  { every, step } = { every: TRANSFERS_BETWEEN_CHECKPOINTS, step: MAX_TRANSFERS_PER_CHECKPOINT },
): Promise<number> {
  const behind = await db.query(LEDGERS_BEHIND, [every, CHECKPOINTS_PER_RUN])
  for (const { merchantId, mode } of behind) await db.query(ADD_CHECKPOINT, [merchantId, mode, now.toISOString(), step])
  return behind.length
}
