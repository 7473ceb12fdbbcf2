import type { Logger } from 'pino'
import type { RailObserver } from './rail-observer.ts'

/** Makes the observer that logs each call to an operator, with the reference that the operator knows it by (reliability.md 11.1). */
export const logRailRequests = (log: Logger): RailObserver => ({
  request(installation, operation, outcome, { ms, reference }) {
    const line = {
      installation,
      operation,
      class: outcome,
      ms: Math.round(ms),
      reference: reference ?? undefined,
    }
    log.info(line, 'asked an operator')
  },
  breaker: () => {},
})
