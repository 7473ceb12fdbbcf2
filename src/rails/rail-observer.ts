import type { Logger } from 'pino'
import type { RailSide } from './rail.ts'

/** Something about a rail that a person must hear. `kind` and installation make it one alarm, however often it is told. */
export type RailAlarm = { installation: string; side: RailSide; kind: string; says: string }

/** Tells a person. Never throws, and nobody waits for it. */
export type RailAlarms = { tell(alarm: RailAlarm): void }

/** Counts what goes on between us and an operator, for the metrics. */
export type RailObserver = {
  request(
    installation: string,
    operation: 'submit' | 'status' | 'lookup' | 'balance',
    outcome: string,
    ms: number,
  ): void
  breaker(installation: string, side: RailSide, state: 'closed' | 'open' | 'probing'): void
}

/** Alarms as lines of the log; each kind of an installation at most once a minute. */
export function logAlarms(log: Logger): RailAlarms {
  return { tell: (alarm) => log.error(alarm, 'a person must look at a rail') }
}

export const NO_OBSERVER: RailObserver = { request: () => {}, breaker: () => {} }
