import type { FastifyReply, FastifyRequest } from 'fastify'
import { beginSpan, isTracing, type Span } from '../../platform/log/tracing.ts'
import { PROBE_ROUTES } from './request-log.ts'

/**
 * Begins the span of a request; null where it is not recorded. A `traceparent` that comes with it is its parent, but whether it is
 * recorded is decided here.
 */
export function beginRequestSpan(request: FastifyRequest): Span | null {
  if (!isTracing()) return null
  const { method, routeOptions } = request
  const route = routeOptions.url ?? 'unknown'
  if (PROBE_ROUTES.includes(route)) return null
  const { traceparent } = request.raw.headers
  return beginSpan(`${method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: { 'http.request.method': method, 'http.route': route },
  })
}

/** Ends it with what was answered, and where the time went. Nothing tells whose request it was: its log line has the id of the trace. */
export function endRequestSpan({ spent, code, outcome, passed }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (spent === null || spent.span === null) return
  const { span, queueMs, batch, railClass } = spent
  span.set({
    'http.response.status_code': statusCode,
    'gateway.code': code ?? undefined,
    'gateway.mode': passed?.caller.mode,
    'gateway.idempotency': outcome ?? undefined,
    'gateway.queue_ms': Math.round(queueMs * 10) / 10,
    'gateway.batch': batch === 0 ? undefined : batch,
    'gateway.rail_class': railClass ?? undefined,
  })
  span.end({ failed: statusCode >= 500 })
}
