import type { Database } from './database.ts'
import { isTemporary } from './errors.ts'
import type { Statement } from './statement.ts'

const WAIT_MS = { first: 50, most: 2000 }
// Each piece of waiting work holds one answer of a rail or a machine, a few kilobytes. While the database is away nothing new is stored, so
// no new questions are asked; only rows that stay locked for very long can bring this many.
const MAX_WAITING = 5000

let waiting = 0

/**
 * Repeats the work for at most `retryMs` while it fails for a temporary reason. For answers from outside that only this process has. After
 * a COMMIT whose answer was lost it is unknown whether it happened, so `work` must first check, on locked rows, what an earlier try has
 * written. Throws what the work throws, and the temporary error when the time is over or too much other work is waiting already.
 */
export async function retryWhileAway<T>(work: () => Promise<T>, retryMs: number): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isTemporary(error) || waiting >= MAX_WAITING) throw error
  }
  waiting += 1
  try {
    return await retryUntil(work, performance.now() + retryMs)
  } finally {
    waiting -= 1
  }
}

const PATIENT_READ_MS = 60_000

/**
 * Runs a statement that only reads, in work that no caller waits for, such as the import of a list. A busy server may exceed the
 * statement's time-out now and not later, so it is repeated for up to a minute. Throws the last error.
 */
export const readPatiently = <Row>(
  db: Pick<Database, 'query'>,
  statement: Statement<Row>,
  values: unknown[],
): Promise<Row[]> => retryWhileAway(() => db.query(statement, values), PATIENT_READ_MS)

async function retryUntil<T>(work: () => Promise<T>, until: number): Promise<T> {
  for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.most)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    try {
      return await work()
    } catch (error) {
      if (!isTemporary(error) || performance.now() > until) throw error
    }
  }
}
