import { classify, DatabaseAway } from './errors.ts'

const WAIT_MS = { first: 50, most: 2000 }

/**
 * Does it again for so long as the database is away, at most this many ms: for what somebody outside has said and this process
 * alone knows. Throws what the work throws, and DatabaseAway when the time is over.
 */
export async function againWhileAway<T>(work: () => Promise<T>, keptMs: number): Promise<T> {
  const until = performance.now() + keptMs
  for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.most)) {
    try {
      return await work()
    } catch (error) {
      if (!(classify(error) instanceof DatabaseAway) || performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}
