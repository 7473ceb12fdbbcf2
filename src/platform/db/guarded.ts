import { unnestColumns } from './columns.ts'
import { sqlState } from './errors.ts'

const DIVISION_BY_ZERO = '22012'

// A transaction whose writes are decided on what this process knows reads nothing first, so it is one flush. Each write counts its rows:
// where one is not as it was known, the server rolls everything back, and the same work is done again on locked rows.

/**
 * SQL of an update that changes every row of its columns, or fails the transaction. `write` is the update with its `where`; the last
 * parameter, $`count`, is the number of rows.
 */
export const guardedSql = (
  write: (rows: string) => string,
  { types, count }: { types: readonly string[]; count: number },
): string =>
  `with written as (${write(unnestColumns(...types))} returning 1)
   select 1 / (count(*) = $${count}::int)::int as guarded from written`

/** Runs the work by what this process knows, and by what it reads where a guard says that something is not as known. */
export const tryByMemory = <T>(run: (mayKnow: boolean) => Promise<T>): Promise<T> =>
  run(true).catch((error) => {
    if (!isGuardBroken(error)) throw error
    return run(false)
  })

/** Whether a guarded write found a row that was not as expected. The transaction is rolled back. */
export const isGuardBroken = (error: unknown): boolean => sqlState(error) === DIVISION_BY_ZERO
