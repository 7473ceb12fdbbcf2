import { DatabaseAway } from './errors.ts'

/** The two uses of connections, each with connections of its own: transactions, and single statements. */
export type ConnectionUse = 'transactions' | 'statements'

// Readiness is checked about every half second; while payments run, no ping is needed.
const PROVEN_MS = 1000

/** Remembers when work of each kind was last done, and forgets it as soon as the database is away for work of that kind. */
export function provenWork(): {
  proving<T>(kind: ConnectionUse, work: () => Promise<T>): Promise<T>
  /** Whether work of this kind was done within the last second. */
  isProven(kind: ConnectionUse): boolean
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
