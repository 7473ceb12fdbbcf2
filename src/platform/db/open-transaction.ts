import { assert } from '../assert.ts'
import { newAsyncContext } from '../log/async-context.ts'

const openTransaction = newAsyncContext<true>()

/** Runs the work of a transaction, marked as such where contexts are on (async-context.ts). */
export const insideTransaction = <T>(work: () => Promise<T>): Promise<T> => openTransaction.run(true, work)

/**
 * Throws when a transaction is open around the caller, where contexts are on: rails, suppliers and receivers are never called inside a
 * transaction.
 */
export function assertOutsideTransaction(what: string): void {
  assert(openTransaction.current() === undefined, `${what} was called inside a transaction`)
}
