import type { RailSide } from './rail.ts'

/**
 * A trouble with an installation that a person must know of. `breaker`: the operator does not answer; `refused`: it refuses our
 * account, our settings or our connection; `float`: our own money there may be used up; `unknown-word`: it wrote a word that our
 * tables lack.
 */
export type RailAlarm = {
  installation: string
  side: RailSide
  kind: 'breaker' | 'refused' | 'float' | 'unknown-word'
  says: string
}

/** Raises alarms for people. Never throws, and no caller waits for it. */
export type RailAlarms = { raise(alarm: RailAlarm): void }

export type BreakerPosition = 'closed' | 'open' | 'probing'

/** Observes our calls to operators and the state of their breakers. */
export type RailObserver = {
  request(
    installation: string,
    operation: 'submit' | 'status' | 'lookup' | 'balance',
    outcome: string,
    /** `reference` is the one of the movement that the call was about; null where it was about none. */
    call: { ms: number; reference: string | null },
  ): void
  breaker(installation: string, side: RailSide, state: BreakerPosition): void
}

/** Makes an observer that passes everything on to its listeners: the first ones, and those added with `to` later, as the metrics are. */
export function relayObserver(...first: RailObserver[]): RailObserver & { to(listener: RailObserver): void } {
  const listeners = [...first]
  return {
    request: (...request) => {
      for (const listener of listeners) listener.request(...request)
    },
    breaker: (...change) => {
      for (const listener of listeners) listener.breaker(...change)
    },
    to: (listener) => void listeners.push(listener),
  }
}
