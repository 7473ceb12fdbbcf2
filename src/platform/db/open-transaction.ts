import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../assert.ts'

// Before Node 24 the first use of such a storage makes every promise of the process dearer, for ever: a payment cost the server a
// sixth more. There only tests watch; in their runs every call is made that leaves the house.
const FREE_SINCE_NODE = 24

const openTransaction = new AsyncLocalStorage<true>()
let watched = Number.parseInt(process.versions.node, 10) >= FREE_SINCE_NODE

/** Watches from now on for calls inside a transaction. Only settings/config.ts calls it, and only with TEST_HOOKS. */
export function watchTransactions(): void {
  watched = true
}

/** Runs the work of a transaction, marked as such where transactions are watched. */
export const insideTransaction = <T>(work: () => Promise<T>): Promise<T> =>
  watched ? openTransaction.run(true, work) : work()

/**
 * Throws when a transaction is open around the caller, where transactions are watched: rails, suppliers and receivers are never
 * called inside one.
 */
export function assertOutsideTransaction(what: string): void {
  assert(!watched || openTransaction.getStore() === undefined, `${what} was called inside a transaction`)
}
