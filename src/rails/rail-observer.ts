import type { RailSide } from './rail.ts'

/**
 * Something about a contract with an operator that a person must hear. `breaker`: it does not answer; `refused`: it refuses our
 * account, our settings or our connection; `float`: our own money there may be used up; `unknown-word`: it wrote a word that no
 * table has.
 */
export type RailAlarm = {
  installation: string
  side: RailSide
  kind: 'breaker' | 'refused' | 'float' | 'unknown-word'
  says: string
}

/** Tells a person. Never throws, and nobody waits for it. */
export type RailAlarms = { tell(alarm: RailAlarm): void }

export type BreakerPosition = 'closed' | 'open' | 'probing'

/** Counts what goes on between us and an operator. */
export type RailObserver = {
  request(
    installation: string,
    operation: 'submit' | 'status' | 'lookup' | 'balance',
    outcome: string,
    /** `reference`: of the movement that it was about; null where it was about none. */
    call: { ms: number; reference: string | null },
  ): void
  breaker(installation: string, side: RailSide, state: BreakerPosition): void
}

/** Passes everything on to whoever listens: the alarms from the start, the metrics once they are there. */
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
