import { unavailable } from '../refusal.ts'

/**
 * Makes a function that runs at most this many pieces of work at once; others wait in order, at most `waiting` of them. It throws 503 when
 * too many wait already, and what the work throws.
 */
export function limitConcurrency({ most, waiting }: { most: number; waiting: number }) {
  let running = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) {
      if (queue.length >= waiting) throw unavailable()
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
