import { asyncContext } from './async-context.ts'

/** Where the time of one request went, in ms; what it did beside something else counts as well. `batch`: how many shared its commit. */
export type Spent = {
  dbMs: number
  queueMs: number
  batch: number
  railMs: number
  /** What the operator answered (rails.md 3), or null where none was asked. */
  railClass: string | null
}

const spending = asyncContext<Spent | null>()

export const nothingSpent = (): Spent => ({ dbMs: 0, queueMs: 0, batch: 0, railMs: 0, railClass: null })

/**
 * Does this work on the account of a request; null: on nobody's. Statements on their own are counted only where that costs a payment
 * nothing (async-context.ts); batches and submits are told whom they work for.
 */
export const spendOn = <T>(spent: Spent | null, work: () => T): T => spending.run(spent, work)

/** The account of the request that this is done for; null where none is known. */
export const spentNow = (): Spent | null => spending.kept() ?? null

/** Puts a run of a batch on the account of everybody who waited for it. */
export function countRun(
  waited: readonly { spent: Spent | null; since: number }[],
  { startedAt, ms }: { startedAt: number; ms: number },
): void {
  for (const { spent, since } of waited) {
    if (spent === null) continue
    // An item that ran once more has waited before its first run only.
    if (spent.batch === 0) spent.queueMs += startedAt - since
    spent.dbMs += ms
    spent.batch = waited.length
  }
}
