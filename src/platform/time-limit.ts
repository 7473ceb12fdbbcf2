// Made once: most limits end when what they limited is long over, and an error with its stack costs more than the timer.
const OVER = new DOMException('the time is over', 'TimeoutError')

/**
 * A signal that is aborted after `ms` milliseconds, or earlier with the first of `others`. Its timer keeps no process alive. Instead of
 * `AbortSignal.any` with `AbortSignal.timeout`: on Node 20 a collection may take such a timeout away, and then it never comes.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController()
  const end = (reason: unknown) => {
    clearTimeout(timer)
    own.abort(reason)
  }
  const timer = setTimeout(end, ms, OVER)
  timer.unref()
  for (const other of others) {
    if (other.aborted) end(other.reason)
    else other.addEventListener('abort', () => end(other.reason), { once: true, signal: own.signal })
  }
  return own.signal
}
