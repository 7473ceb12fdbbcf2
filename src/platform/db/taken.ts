import { sqlState } from './errors.ts'

const UNIQUE_VIOLATION = '23505'
const TRIES = 3

/** Whether a unique index refused a row because another one was there first. */
export const isTaken = (error: unknown): boolean => sqlState(error) === UNIQUE_VIOLATION

/** Runs it; where somebody else was first `otherwise` answers, or throws the error that it is given. */
export async function whenTaken<T>(
  run: () => Promise<T>,
  otherwise: (error: unknown) => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!isTaken(error)) throw error
    return otherwise(error)
  }
}

/** Runs it, up to three times as long as somebody else was first: the next run sees what was there. Rejects with the last error. */
export function againWhenTaken<T>(run: () => Promise<T>, triesLeft = TRIES - 1): Promise<T> {
  // Without `async`: its frame would stay in memory for as long as a payment waits.
  return run().catch((error) => {
    if (!isTaken(error) || triesLeft === 0) throw error
    return againWhenTaken(run, triesLeft - 1)
  })
}
