import { assert } from '../../platform/assert.ts'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { StatementPeriod } from './period.ts'
import { splitRange } from './read-ahead.ts'
import type { SnapshotQueries } from './snapshot.ts'

/** A range of transfer numbers: from `first` up to, but without, `end`. */
export type SeqRange = { first: number; end: number }

/** The first transfer that is not older than a month, and the one after the last that is not newer; null where there is none. */
type MonthEdges = { first: number | null; end: number | null }

/**
 * The checkpoints whose transfers contain the edges of a month, the number of the last checkpoint, and the ranges that no checkpoint
 * describes.
 */
type CheckpointRanges = { begins: SeqRange | null; ends: SeqRange | null; checked: number; gaps: SeqRange[] }

const HEAD_SEQ = statement<{ seq: number }>(
  'last transfer of a ledger',
  'select seq from ledger_heads where merchant_id = $1 and mode = $2',
)
// $3 and $4 are the month. A checkpoint says when the first and the last of its transfers happened. Index: checkpoints_by_time.
const rangeJson = (after: string) => `jsonb_build_object('first', ${after} + 1, 'end', seq + 1)`
const STEPS = statement<CheckpointRanges>(
  'checkpoints at the edges of a month',
  `with steps as (select seq, lag(seq, 1, 0::bigint) over (order by seq) as before, after_seq, first_at, last_at
     from ledger_checkpoints where merchant_id = $1 and mode = $2)
   select (select ${rangeJson('after_seq')} from steps where last_at >= $3 order by after_seq, seq limit 1) as begins,
     (select ${rangeJson('after_seq')} from steps where first_at < $4 order by seq desc limit 1) as ends,
     coalesce((select max(seq) from steps), 0) as checked,
     coalesce((select jsonb_agg(${rangeJson('before')} order by seq) from steps where first_at is null or after_seq > before), '[]') as gaps`,
)
const EDGES = statement<MonthEdges>(
  'transfers at the edges of a month',
  `select min(seq) filter (where at >= $5) as first, max(seq) filter (where at < $6) + 1 as end
   from transfers where merchant_id = $1 and mode = $2 and seq >= $3 and seq < $4`,
)

// Reading so many takes the server some ten milliseconds.
const TRANSFERS_AT_ONCE = 50_000

/**
 * Finds the range from the first transfer that is not older than the month up to the last that is not newer. It contains every transfer
 * of the month; those before it are older and those after it newer, in whatever order their times are. No index has their time, because
 * it would cost every payment: the times of the checkpoints say where to look, and ranges without a checkpoint are read (decision 44).
 */
export async function findMonthRange(
  snapshot: SnapshotQueries,
  ledger: MerchantMode,
  { start, end }: StatementPeriod,
): Promise<SeqRange> {
  const own = [ledger.merchantId, ledger.mode]
  const month = [formatSqlTime(start), formatSqlTime(end)]
  const [head] = await snapshot.ask(HEAD_SEQ, own)
  const last = head?.seq ?? 0
  const [steps] = await snapshot.ask(STEPS, [...own, ...month])
  assert(steps, 'one row without a table')
  const edges: MonthEdges[] = []
  for (const range of rangesToRead(steps, last))
    for (const window of splitRange(range, () => TRANSFERS_AT_ONCE))
      edges.push(...(await snapshot.ask(EDGES, [...own, window.first, window.end, ...month])))
  const first = Math.min(last + 1, ...edges.flatMap((edge) => edge.first ?? []))
  return { first, end: Math.max(first, ...edges.flatMap((edge) => edge.end ?? [])) }
}

function rangesToRead({ begins, ends, checked, gaps }: CheckpointRanges, last: number): SeqRange[] {
  const edges = [begins, ends].filter((range) => range !== null)
  return [...edges, ...joinNeighbours([...gaps, { first: checked + 1, end: last + 1 }])]
}

/** Joins adjacent ranges. */
function joinNeighbours(ranges: readonly SeqRange[]): SeqRange[] {
  const joinedRanges: SeqRange[] = []
  for (const range of ranges) {
    const before = joinedRanges.at(-1)
    if (before?.end === range.first) before.end = range.end
    else joinedRanges.push({ ...range })
  }
  return joinedRanges
}
