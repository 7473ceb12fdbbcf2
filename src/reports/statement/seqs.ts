import type { SeqRange } from './range.ts'

/** Numbers of transfers in order; null where there are too many to be held. */
export type Noted = readonly number[] | null

/** A range of transfers, and which of them are meant; null: all. */
export type Chosen = SeqRange & { among: Noted }
export type Slice = { most: number; span: number }

// Less than a megabyte. Where there are more, finding them is no longer most of the work.
const MOST = 100_000

/** Notes the numbers of a few transfers while all are read, so that nobody has to look for them among all again. */
export class SeqNotes {
  private held: number[] | null = []

  get noted(): Noted {
    return this.held
  }

  get wanted(): boolean {
    return this.held !== null
  }

  /** Adds those of the next window, in any order. */
  add(seqs: number[]): void {
    if (this.held === null || this.held.length + seqs.length > MOST) this.held = null
    else for (const seq of seqs.sort((a, b) => a - b)) this.held.push(seq)
  }
}

/** All of both lists in order. */
export const bothOf = (some: Noted, others: Noted): Noted =>
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
