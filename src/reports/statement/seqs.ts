import { assert } from '../../platform/assert.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import { ADJUSTS } from './adjustments.ts'
import type { SeqRange } from './range.ts'
import type { Asked } from './snapshot.ts'
import { WITHIN } from './window.ts'

/** Numbers of transfers in order; null where there are too many to be held. */
export type Seqs = readonly number[] | null

/** A range of transfers, and which of them are meant; null: all. */
export type Chosen = SeqRange & { among: Seqs }
export type Slice = { most: number; span: number }

type Found = { seqs: string | null }

/** Less than a megabyte. Where there are more, finding them is no longer most of the work. */
export const HELD_SEQS = 100_000

// All kinds of these have an index (transfers_besides_charges).
const seqsSql = (which: string) =>
  `select string_agg(seq::text, ',' order by seq) as seqs from transfers t where ${WITHIN} and ${which}`
/** The transfers of a month that reserved the money of a payout. */
export const RESERVING = statement<Found>('reservations of a statement', seqsSql(`kind = 'payout_reserve'`))
/** Those that are adjustments by themselves. */
export const ADJUSTING = statement<Found>('adjusting transfers of a statement', seqsSql(ADJUSTS))

/** The numbers of such transfers, of which there are so many; null if that is more than `most`. `values`: of `WITHIN`. */
export async function readSeqs(
  snapshot: Asked,
  which: Statement<Found>,
  { count, most, values }: { count: number; most: number; values: readonly unknown[] },
): Promise<Seqs> {
  if (count > most) return null
  if (count === 0) return []
  const [found] = await snapshot.ask(which, values)
  const seqs = found?.seqs?.split(',').map(Number) ?? []
  assert(seqs.length === count, 'there are as many as were counted before')
  return seqs
}

/** All of both lists in order. */
export const bothOf = (some: Seqs, others: Seqs): Seqs =>
  some === null || others === null ? null : [...some, ...others].sort((a, b) => a - b)

/** Splits them into pieces of at most `most`, and of at most `span` transfers from the first to the last. */
export function* slicesOf(seqs: readonly number[], { most, span }: Slice): Generator<Chosen, void> {
  for (let from = 0; from < seqs.length; ) {
    const first = seqs[from] as number
    let to = from + 1
    while (to < seqs.length && to - from < most && (seqs[to] as number) - first < span) to += 1
    const among = seqs.slice(from, to)
    yield { first, end: (among.at(-1) as number) + 1, among }
    from = to
  }
}
