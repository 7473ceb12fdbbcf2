let last: Promise<void> = Promise.resolve()

/**
 * Resolves when all other work that waits on the event loop has had its turn. Await it between the steps of long work. Of several
 * callers one continues in each turn.
 */
export function letOthersRun(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  return last
}
