/** Shares a read between callers: starts one, or waits for one that began less than `freshMs` ago. */
export function sharedLook(look: () => Promise<void>, freshMs: number): () => Promise<void> {
  let underWay: { since: number; done: Promise<void> } | null = null
  return () => {
    const now = performance.now()
    if (underWay !== null && now - underWay.since < freshMs) return underWay.done
    const mine = { since: now, done: look() }
    underWay = mine
    const ended = () => {
      if (underWay === mine) underWay = null
    }
    mine.done.then(ended, ended)
    return mine.done
  }
}
