import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Sum } from '../platform/sums.ts'

type Mode = 'test' | 'live'

/** What the head row says and what the transfers add up to, read in one snapshot. Whole UGX. */
export type Balance = {
  available: Sum
  pending: Sum
  cachedAvailable: Sum
  cachedPending: Sum
}

// The newest checkpoint plus the transfers after it, so the cost does not grow with the history (ledger.md section 10).
const BALANCE = statement<Balance>(
  'balance',
  `with head as (select available, pending from ledger_heads where merchant_id = $1 and mode = $2),
   checkpoint as (
     select seq, (balances->>'available')::bigint as available, (balances->>'pending')::bigint as pending
     from ledger_checkpoints where merchant_id = $1 and mode = $2 order by seq desc limit 1),
   since as (
     select coalesce(sum(case when credit = 'available' then amount when debit = 'available' then -amount end), 0)::bigint as available,
            coalesce(sum(case when credit = 'pending' then amount when debit = 'pending' then -amount end), 0)::bigint as pending
     from transfers where merchant_id = $1 and mode = $2 and seq > coalesce((select seq from checkpoint), 0))
   select since.available + coalesce(checkpoint.available, 0) as available,
          since.pending + coalesce(checkpoint.pending, 0) as pending,
          head.available as "cachedAvailable", head.pending as "cachedPending"
   from head cross join since left join checkpoint on true`,
)

// A merchant this far ahead of its last checkpoint gets a new one, so a balance never sums more than this and a little.
const CHECKPOINT_EVERY = 1000
const CHECKPOINTS_A_RUN = 100
// A ledger that is further behind is checkpointed in steps: one statement over millions of transfers would exceed its time
// limit, and the ledgers after it would never be reached.
const CHECKPOINT_STEP = 100_000

const BEHIND = statement<{ merchantId: number; mode: Mode }>(
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
     select debit, credit, sum(amount) as amount, max(seq) as seq from transfers
     where merchant_id = $1 and mode = $2 and seq > coalesce((select seq from last), 0)
       and seq <= coalesce((select seq from last), 0) + $4
     group by debit, credit),
   sums as (
     select account, sum(amount)::bigint as balance from (
       select debit as account, -amount as amount from moves
       union all select credit, amount from moves
       union all select key, value::bigint from last, jsonb_each_text(last.balances)) both_sides
     group by account)
   insert into ledger_checkpoints (merchant_id, mode, seq, balances, at)
   select $1, $2, (select max(seq) from moves), jsonb_object_agg(account, balance), $3 from sums
   having (select max(seq) from moves) is not null
   on conflict do nothing`,
)

/** The merchant's balance in this mode; the shown figures are sums over the ledger, the head is the cached one (spec 2.7). */
export async function readBalance(db: Database, merchantId: number, mode: Mode): Promise<Balance> {
  const [row] = await db.query(BALANCE, [merchantId, mode])
  return row ?? { available: 0, pending: 0, cachedAvailable: 0, cachedPending: 0 }
}

/** Writes a checkpoint for each ledger that is more than 1,000 transfers ahead of its last. Answers how many. */
export async function checkpointLedgers(db: Database, now: Date): Promise<number> {
  const behind = await db.query(BEHIND, [CHECKPOINT_EVERY, CHECKPOINTS_A_RUN])
  for (const { merchantId, mode } of behind)
    await db.query(ADD_CHECKPOINT, [merchantId, mode, now.toISOString(), CHECKPOINT_STEP])
  return behind.length
}
