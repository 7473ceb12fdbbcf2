import { type Batch, batch, done, failed } from './batch.ts'

/** A few lanes in which pieces of work go one after the other, those of one key in the same. */
export type Turns = Pick<Batch<unknown, unknown>, 'waiting' | 'idle' | 'onRun'> & {
  take<T>(key: number, work: () => Promise<T>): Promise<T>
}

/**
 * Whoever waits here for others of its key holds no connection, as it would behind a lock of the database. Throws what the work
 * throws, and 503 when too many wait.
 */
export function turns(lanes: number): Turns {
  const queue = batch<{ key: number; work(): Promise<unknown> }, unknown>({
    // What the work throws is its own: it has had its time to wait for locks, and is not run again.
    run: (some) => Promise.all(some.map(({ work }) => work().then(done, failed))),
    laneOf: ({ key }) => key,
    lanes,
    max: 1,
  })
  const { waiting, idle, onRun } = queue
  return {
    take: <T>(key: number, work: () => Promise<T>) => queue.add({ key, work }) as Promise<T>,
    waiting,
    idle,
    onRun,
  }
}
