import { newBatch } from './batch.ts'
import { batchByKind } from './batch-by-kind.ts'
import { itemDone, itemFailed } from './batch-run.ts'
import type { Lane } from './lane.ts'

/** A few lanes that each run one piece of work at a time; all work of a key uses the same lane. */
type WorkLanes = Lane & {
  run<T>(key: number, work: () => Promise<T>): Promise<T>
}

type WorkPiece = { key: number; work(): Promise<unknown> }

/**
 * Makes lanes for work by key. Work that waits here for other work of its key holds no connection, as it would behind a database lock.
 * `run`
 * throws what the work throws, and 503 when too many wait.
 */
export function newWorkLanes(lanes: number): WorkLanes {
  const queues = Array.from({ length: lanes }, () =>
    newBatch<WorkPiece, unknown>({
      // Errors of the work are passed on: it has waited for locks itself and is not run again.
      run: (pieces) => Promise.all(pieces.map(({ work }) => work().then(itemDone, itemFailed))),
      keyOf: ({ key }) => key,
      max: 1,
      beside: false,
    }),
  )
  const { add, waiting, idle } = batchByKind(Object.fromEntries(queues.entries()), ({ key }) => Math.abs(key) % lanes)
  return {
    run: <T>(key: number, work: () => Promise<T>) => add({ key, work }) as Promise<T>,
    waiting,
    idle,
  }
}
