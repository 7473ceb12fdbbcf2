import { AsyncLocalStorage } from 'node:async_hooks'

// Before Node 24 the first use of such a storage makes every promise of the process dearer, for ever: a payment cost the server a
// sixth more. There only tests use it; in their runs every call is made that leaves the house.
const FREE_SINCE_NODE = 24

let used = Number.parseInt(process.versions.node, 10) >= FREE_SINCE_NODE

/** Keeps contexts from now on. Only settings/config.ts calls it, and only with TEST_HOOKS. */
export function useContexts(): void {
  used = true
}

/** Something that is known to all work that `run` begins, however often it waits: where contexts are used, else to none. */
export type Context<Kept> = { run<T>(kept: Kept, work: () => T): T; kept(): Kept | undefined }

export function asyncContext<Kept>(): Context<Kept> {
  const storage = new AsyncLocalStorage<Kept>()
  return {
    run: (kept, work) => (used ? storage.run(kept, work) : work()),
    kept: () => (used ? storage.getStore() : undefined),
  }
}
