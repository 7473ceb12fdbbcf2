import type { Logger } from 'pino'
import { currentTimeSpent } from '../platform/log/spent.ts'
import { beginPart, beginSpan, isTracing } from '../platform/log/tracing.ts'
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

const AMBIGUOUS = 'ambiguous'

/**
 * Traces each call to an operator as a part of the request that made it, or by itself. Neither the call nor its reference tells the
 * operator, or the trace, of each other.
 */
export const traceRailRequests: RailObserver = {
  request(installation, operation, outcome, { ms }) {
    if (!isTracing()) return
    const attributes = { 'gateway.installation': installation, 'gateway.outcome': outcome }
    const options = { kind: 'client', attributes, beganMs: ms } as const
    const name = `rail ${operation}`
    const span = currentTimeSpent()?.span ? beginPart(name, options) : beginSpan(name, options)
    span?.end({ failed: outcome === AMBIGUOUS })
  },
  breaker: () => {},
}
