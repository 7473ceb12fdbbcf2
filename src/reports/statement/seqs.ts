import { assert } from '../../platform/assert.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import { IS_ADJUSTMENT } from './adjustments.ts'
import type { SeqRange } from './range.ts'
import type { SnapshotQueries } from './snapshot.ts'
import { WITHIN } from './window.ts'

/** Numbers of transfers, ascending; null where there are too many to hold. */
export type Seqs = readonly number[] | null

/** A range of transfers, and which of them are meant; `among` null means all. */
export type SeqWindow = SeqRange & { among: Seqs }
export type SliceSize = { most: number; span: number }

type SeqsRow = { seqs: string | null }

/** So many take less than a megabyte. With more lines, finding them is no longer most of the work. */
export const MAX_HELD_SEQS = 100_000

// All these kinds are in the index transfers_besides_charges.
const seqsSql = (which: string) =>
  `select string_agg(seq::text, ',' order by seq) as seqs from transfers t where ${WITHIN} and ${which}`
/** The transfers of a month that reserved the money of a payout. */
export const RESERVING_SEQS = statement<SeqsRow>('reservations of a statement', seqsSql(`kind = 'payout_reserve'`))
/** The transfers of a month that are adjustments by themselves. */
export const ADJUSTING_SEQS = statement<SeqsRow>('adjusting transfers of a statement', seqsSql(IS_ADJUSTMENT))

/** Reads the numbers of such transfers, of which there are `count`; null if that is more than `most`. `values`: those of `WITHIN`. */
export async function readSeqs(
  snapshot: SnapshotQueries,
  which: Statement<SeqsRow>,
  { count, most, values }: { count: number; most: number; values: readonly unknown[] },
): Promise<Seqs> {
  if (count > most) return null
  if (count === 0) return []
  const [row] = await snapshot.ask(which, values)
  const seqs = row?.seqs?.split(',').map(Number) ?? []
  assert(seqs.length === count, 'there are as many as were counted before')
  return seqs
}

/** Merges both lists in order; null if either is. */
export const mergeSeqs = (some: Seqs, others: Seqs): Seqs =>
  some === null || others === null ? null : [...some, ...others].sort((a, b) => a - b)

/** Splits numbers into pieces of at most `most` numbers that span at most `span` transfers. */
export function* sliceSeqs(seqs: readonly number[], { most, span }: SliceSize): Generator<SeqWindow, void> {
  for (let from = 0; from < seqs.length; ) {
    const first = seqs[from] as number
    let to = from + 1
    while (to < seqs.length && to - from < most && (seqs[to] as number) - first < span) to += 1
    const among = seqs.slice(from, to)
    yield { first, end: (among.at(-1) as number) + 1, among }
    from = to
  }
}
