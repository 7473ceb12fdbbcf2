import { BALANCE_CHANGE_SQL } from '../../ledger/checkpoints.ts'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { ExactSum } from '../../platform/sums.ts'
import type { StatementPeriod } from './period.ts'
import type { SeqRange } from './range.ts'
import { readAhead, splitRange } from './read-ahead.ts'
import type { SnapshotParallelism, SnapshotQueries } from './snapshot.ts'

/** The sums of some transfers of a kind, either inside a month or before it. `change`: of available + pending. Whole UGX. */
export type KindSum = { kind: string; inside: boolean; count: number; amount: ExactSum; change: ExactSum }

/** The ledger, the transfers and the month. `atOnce`: how many transfers one query may read now. */
type KindSumsInput = { ledger: MerchantMode; range: SeqRange; period: StatementPeriod; atOnce: () => number }

// $1 and $2 are the ledger, $3 and $4 the numbers, $5 and $6 the month. `place` says where all transfers of a step lie; null if they lie
// on both sides of an end of the month, or if its sums are of other transfers: two processes may have made a checkpoint after the same
// one.
const STEPS = `select seq, before, sums, case when after_seq <> before then null when last_at < $5 then 'before'
     when first_at >= $6 then 'after' when first_at >= $5 and last_at < $6 then 'inside' end as place
   from (select seq, lag(seq, 1, $3::bigint - 1) over (order by seq, is_end) as before, after_seq, sums, first_at, last_at from (
     select seq, false as is_end, after_seq, sums, first_at, last_at from ledger_checkpoints
       where merchant_id = $1 and mode = $2 and seq >= $3 and seq < $4
     union all select $4::bigint - 1, true, null, null, null, null) c) numbered`

const OF_CHECKPOINTS = statement<KindSum>(
  'sums of checkpoints of a statement',
  `select key as kind, place = 'inside' as inside, sum((value->>'count')::bigint)::bigint as count,
     sum((value->>'amount')::bigint)::bigint as amount, sum((value->>'change')::bigint)::bigint as change
   from (${STEPS}) steps, jsonb_each(sums) where place in ('before', 'inside') group by key, place`,
)

// Adjacent gaps are joined.
const BETWEEN_CHECKPOINTS = statement<SeqRange>(
  'transfers of a statement without sums',
  `select min(before) + 1 as first, max(seq) + 1 as end
   from (select seq, before, place, count(place) over (order by seq) as placed_before
     from (${STEPS}) steps where before < seq) parts
   where place is null group by placed_before order by first`,
)

// The change is computed for each pair of accounts, because computing it for each transfer takes a fifth longer. Pairs are added up here:
// an account has one for each of its subaccounts.
const OF_TRANSFERS = statement<KindSum>(
  'sums of a statement',
  `select kind, inside, sum(count)::bigint as count, sum(amount)::bigint as amount, sum(${BALANCE_CHANGE_SQL})::bigint as change from (
     select kind, debit, credit, at >= $5 as inside, count(*) as count, sum(amount) as amount
     from transfers where merchant_id = $1 and mode = $2 and seq >= $3 and seq < $4 and at < $6
     group by kind, debit, credit, inside) t group by kind, inside`,
)

/** Reads the sums of a range by kind, in several parts. Transfers after the month are left out. */
export async function readKindSums(
  snapshot: SnapshotQueries & SnapshotParallelism,
  { ledger, range, period, atOnce }: KindSumsInput,
): Promise<KindSum[]> {
  const within = ({ first, end }: SeqRange) => [
    ...[ledger.merchantId, ledger.mode, first, end, formatSqlTime(period.start), formatSqlTime(period.end)],
  ]
  const sums = await snapshot.ask(OF_CHECKPOINTS, within(range))
  const gaps = await snapshot.ask(BETWEEN_CHECKPOINTS, within(range))
  const read = (window: SeqRange) => snapshot.ask(OF_TRANSFERS, within(window))
  for await (const ofWindow of readAhead(snapshot, splitRanges(gaps, atOnce), read)) sums.push(...ofWindow)
  return sums
}

function* splitRanges(ranges: readonly SeqRange[], size: () => number): Generator<SeqRange, void> {
  for (const range of ranges) yield* splitRange(range, size)
}
