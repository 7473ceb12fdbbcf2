import { batch, done } from './batch.ts'

/** A few lanes in which pieces of work go one after the other, those of one key in the same. */
export type Turns = {
  take<T>(key: number, work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
}

/**
 * Whoever waits here for others of its key holds no connection, as it would behind a lock of the database. Throws what the work
 * throws, and 503 when too many wait.
 */
export function turns(lanes: number): Turns {
  const queue = batch<{ key: number; work(): Promise<unknown> }, unknown>({
    run: (some) => Promise.all(some.map(async ({ work }) => done(await work()))),
    laneOf: ({ key }) => key,
    lanes,
    max: 1,
  })
  return {
    take: <T>(key: number, work: () => Promise<T>) => queue.add({ key, work }) as Promise<T>,
    idle: () => queue.idle(),
  }
}
