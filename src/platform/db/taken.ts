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

/** Runs it, up to three times as long as somebody else was first: the next run sees what was there. Throws the last error. */
export async function againWhenTaken<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isTaken(error) || attempt === TRIES) throw error
    }
  }
}
