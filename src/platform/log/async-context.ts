import { AsyncLocalStorage } from 'node:async_hooks'

// Before Node 24 the first use of an AsyncLocalStorage makes every promise of the process more expensive, for good: a payment cost the
// server a sixth more. On older versions only tests use contexts; their runs make every call that leaves the process.
const FREE_SINCE_NODE = 24

let keepsContexts = Number.parseInt(process.versions.node, 10) >= FREE_SINCE_NODE

/** Switches contexts on. Only program/settings/config.ts calls it, and only with TEST_HOOKS. */
export function keepContexts(): void {
  keepsContexts = true
}

/** A value that all work begun by `run` can read, across its awaits. Where contexts are off, `current` is always undefined. */
type AsyncContext<Kept> = { run<T>(kept: Kept, work: () => T): T; current(): Kept | undefined }

export function newAsyncContext<Kept>(): AsyncContext<Kept> {
  const storage = new AsyncLocalStorage<Kept>()
  return {
    run: (kept, work) => (keepsContexts ? storage.run(kept, work) : work()),
    current: () => (keepsContexts ? storage.getStore() : undefined),
  }
}
