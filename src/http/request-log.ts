import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { RequestMetrics } from './request-metrics.ts'

/** Counts the request and writes its one log line: what was asked and answered, never keys, bodies or phone numbers. */
export function logRequest(
  { log, metrics }: { log: Logger; metrics: RequestMetrics },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { passed } = request
  const status = reply.statusCode
  const route = request.routeOptions.url ?? 'unknown'
  metrics.observe(route, { status, ms: reply.elapsedTime })
  log.info(
    {
      request_id: request.id,
      method: request.method,
      route,
      status,
      code: request.code ?? undefined,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      merchant: passed?.caller.merchantId,
      mode: passed?.caller.mode,
      scope: passed?.caller.scope,
      key_last4: passed?.caller.keyLast4,
      object_id: request.objectId ?? undefined,
      idempotency: request.outcome ?? undefined,
    },
    'request',
  )
}
