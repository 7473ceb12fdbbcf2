import { batch, done, failed } from './batch.ts'
import type { Lane } from './lane.ts'

/** A few lanes that run work one piece at a time; all work of a key uses the same lane. */
export type Turns = Lane & {
  take<T>(key: number, work: () => Promise<T>): Promise<T>
}

/**
 * Work that waits here for others of its key holds no connection, as it would behind a database lock. Throws what the work
 * throws, and 503 when too many wait.
 */
export function turns(lanes: number): Turns {
  const queue = batch<{ key: number; work(): Promise<unknown> }, unknown>({
    // Errors of the work are passed on: it has waited for locks itself and is not run again.
    run: (some) => Promise.all(some.map(({ work }) => work().then(done, failed))),
    laneOf: ({ key }) => key,
    lanes,
    max: 1,
  })
  const { waiting, idle } = queue
  return {
    take: <T>(key: number, work: () => Promise<T>) => queue.add({ key, work }) as Promise<T>,
    waiting,
    idle,
  }
}
