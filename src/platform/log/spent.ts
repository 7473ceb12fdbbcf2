import { newAsyncContext } from './async-context.ts'
import type { Span } from './tracing.ts'

/** Where the time of one request went, in ms; work done in parallel counts in full. `batch`: how many items shared its commit. */
export type TimeSpent = {
  dbMs: number
  queueMs: number
  batch: number
  railMs: number
  /** The class of the operator's answer (rails.md 3); null where no operator was asked. */
  railClass: string | null
  /** Its piece of work in a trace; null where that is not recorded. */
  span: Span | null
}

const timeSpentContext = newAsyncContext<TimeSpent | null>()

export const newTimeSpent = (): TimeSpent => ({ dbMs: 0, queueMs: 0, batch: 0, railMs: 0, railClass: null, span: null })

/**
 * Runs work on the time account of a request; null: on no account. Single statements are counted only where that costs a payment nothing
 * (async-context.ts); batches and calls to operators get the account passed explicitly.
 */
export const trackTimeFor = <T>(spent: TimeSpent | null, work: () => T): T => timeSpentContext.run(spent, work)

/** The time account of the request for which the current work is done; null where none is known. */
export const currentTimeSpent = (): TimeSpent | null => timeSpentContext.current() ?? null

/** Adds a run of a batch to the accounts of all requests that waited for it. */
export function addBatchRun(
  waited: readonly { spent: TimeSpent | null; since: number }[],
  { startedAt, ms }: { startedAt: number; ms: number },
): void {
  for (const { spent, since } of waited) {
    if (spent === null) continue
    // An item that is run again waited only before its first run.
    if (spent.batch === 0) spent.queueMs += startedAt - since
    spent.dbMs += ms
    spent.batch = waited.length
  }
}
