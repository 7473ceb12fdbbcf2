import { sqlState } from './errors.ts'

const UNIQUE_VIOLATION = '23505'
const TRIES = 3

/** Whether a unique index refused a row, because another row has its key already. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === UNIQUE_VIOLATION

/** Runs the work; after a unique violation returns what `otherwise` returns, which gets the error. Throws any other error. */
export async function onUniqueViolation<T>(
  run: () => Promise<T>,
  otherwise: (error: unknown) => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    return otherwise(error)
  }
}

/**
 * Runs the work up to three times while it meets a unique violation: the next run sees the row of the other transaction. Rejects with the
 * last error.
 */
export function retryOnUniqueViolation<T>(run: () => Promise<T>, triesLeft = TRIES - 1): Promise<T> {
  // Without `async`: its frame would stay in memory for as long as a payment waits.
  return run().catch((error) => {
    if (!isUniqueViolation(error) || triesLeft === 0) throw error
    return retryOnUniqueViolation(run, triesLeft - 1)
  })
}
