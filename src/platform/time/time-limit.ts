// Made once: most limits end long after what they limited, and an error with its stack costs more than the timer.
const OVER = new DOMException('the time is over', 'TimeoutError')

/**
 * Makes a signal that is aborted after `ms` milliseconds, or earlier with the first of `others`. Its timer keeps no process alive. It
 * replaces `AbortSignal.any` with `AbortSignal.timeout`: on Node 20 the garbage collector may remove such a timeout, which then never
 * fires.
 */
export function timeLimit(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController()
  const abort = (reason: unknown) => {
    clearTimeout(timer)
    own.abort(reason)
  }
  const timer = setTimeout(abort, ms, OVER)
  timer.unref()
  for (const signal of others) {
    if (signal.aborted) abort(signal.reason)
    else signal.addEventListener('abort', () => abort(signal.reason), { once: true, signal: own.signal })
  }
  return own.signal
}
