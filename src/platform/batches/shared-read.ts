/** Shares a read between callers: starts one, or waits for the one that began less than `freshMs` ago. */
export function shareRead(read: () => Promise<void>, freshMs: number): () => Promise<void> {
  let underWay: { since: number; done: Promise<void> } | null = null
  return () => {
    const now = performance.now()
    if (underWay !== null && now - underWay.since < freshMs) return underWay.done
    const started = { since: now, done: read() }
    underWay = started
    const forget = () => {
      if (underWay === started) underWay = null
    }
    started.done.then(forget, forget)
    return started.done
  }
}
