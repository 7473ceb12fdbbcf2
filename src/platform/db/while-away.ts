import { isPassing } from './errors.ts'

const WAIT_MS = { first: 50, most: 2000 }
// Each holds one answer of a rail or of a machine, some kilobytes. While the database is away nothing new is stored and so
// nothing new is asked: more than a fraction of this can only come from rows that stay locked for very long.
const MOST_KEPT = 5000

let kept = 0

/**
 * Does it again, at most this many ms, for so long as the trouble is one that passes: for what somebody outside has said and
 * this process alone knows. After a COMMIT whose answer was lost nobody knows whether it happened: `work` looks first, on rows
 * that it has locked, what an earlier try of its own has left. Throws what the work throws, and the passing trouble itself when
 * the time is over or too many others are kept already.
 */
export async function againWhileAway<T>(work: () => Promise<T>, keptMs: number): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isPassing(error) || kept >= MOST_KEPT) throw error
  }
  kept += 1
  try {
    return await again(work, performance.now() + keptMs)
  } finally {
    kept -= 1
  }
}

async function again<T>(work: () => Promise<T>, until: number): Promise<T> {
  for (let waitMs = WAIT_MS.first; ; waitMs = Math.min(waitMs * 2, WAIT_MS.most)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
    }
  }
}
