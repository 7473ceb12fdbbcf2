import { DatabaseAway } from './errors.ts'

/** What is done on connections of their own: transactions, and statements by themselves. */
export type WorkKind = 'transactions' | 'statements'

// Readiness is looked at every half second or so; beside payments nothing is asked.
const PROVEN_MS = 1000

/** Remembers when work of each kind was done last, and forgets it as soon as the database is away for some. */
export function provenWork(): {
  proving<T>(kind: WorkKind, work: () => Promise<T>): Promise<T>
  /** Whether some was done within the last second. */
  isProven(kind: WorkKind): boolean
} {
  const doneMs = { transactions: Number.NEGATIVE_INFINITY, statements: Number.NEGATIVE_INFINITY }
  return {
    isProven: (kind) => performance.now() - doneMs[kind] < PROVEN_MS,
    async proving(kind, work) {
      try {
        const value = await work()
        doneMs[kind] = performance.now()
        return value
      } catch (error) {
        if (error instanceof DatabaseAway) doneMs[kind] = Number.NEGATIVE_INFINITY
        throw error
      }
    },
  }
}
