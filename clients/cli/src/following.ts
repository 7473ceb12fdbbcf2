// What commands share that go on until they are ended.
import type { Heard } from './session.ts'
import type { Terminal } from './terminal.ts'

/** A signal that Ctrl-C ends, and whoever ends processes. */
export function endedBySignals(): AbortSignal {
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort(new Error(name)))
  return ending.signal
}

/** Tells once when the service goes away, and once when it is back. */
export function watchOutages({ note, paint }: Terminal): (heard: Heard) => void {
  let isAway = false
  return (heard) => {
    const away = heard.kind === 'silent' ? heard.reason : heard.status >= 500 ? `status ${heard.status}` : null
    if (away !== null && !isAway) note(paint('yellow', `the service does not answer (${away}): asking again`))
    if (away === null && isAway) note(paint('green', 'the service answers again'))
    isAway = away !== null
  }
}
