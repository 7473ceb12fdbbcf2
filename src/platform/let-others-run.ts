let last: Promise<void> = Promise.resolve()

/**
 * Resolves when everything else that waits on the event loop has had its turn. To be awaited between the steps of work that
 * would hold it up as a whole. Of several who wait here one goes on in each turn.
 */
export function letOthersRun(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  return last
}
