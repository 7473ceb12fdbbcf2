const endings: (() => unknown)[] = []
let clearing: Promise<void> | null = null

/** Registers how something that was just started is ended. If everything is being ended already, it is ended at once. */
export function atEnd(end: () => unknown): void {
  endings.push(end)
  if (clearing !== null) clearing = clearing.then(endAll)
}

/** Ends everything that was started, the newest first. Safe to call at any moment and more than once. */
export async function clear(): Promise<void> {
  clearing ??= endAll()
  for (let seen = null; seen !== clearing; ) {
    seen = clearing
    await seen
  }
}

async function endAll(): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop())
    // A failure to end one thing must not keep the others running.
    await Promise.resolve()
      .then(end)
      .catch(() => {})
}
