import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Frame, NotedRequest, Passed } from './frame.ts'

const OBJECT_ID = /^[a-z]{2,5}_[a-z0-9]{10,50}$/

/**
 * Counts the request, writes its one log line, and notes it for its merchant: what was asked and answered, never keys, bodies or
 * phone numbers.
 */
export function logRequest<App>(
  { log, metrics, note }: Pick<Frame<App>, 'log' | 'metrics' | 'note'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { passed } = request
  const status = reply.statusCode
  const route = request.routeOptions.url ?? 'unknown'
  metrics.observe(route, { status, ms: reply.elapsedTime, outcome: request.outcome ?? null })
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
  if (passed !== null) note(notedOf(request, passed, { route, status, ms: reply.elapsedTime }))
}

function notedOf(
  request: FastifyRequest,
  { caller, key }: Passed,
  { route, status, ms }: { route: string; status: number; ms: number },
): NotedRequest {
  const { method, code, errorText, outcome, objectId, params } = request
  return {
    caller,
    method,
    route,
    status,
    ms,
    code,
    error: errorText,
    keyOutcome: outcome ?? (key !== null && status === 409 ? 'conflict' : null),
    objectId: objectId ?? namedIn(params as Record<string, string> | undefined),
  }
}

/** The object that the path names: a refused request is about it too. */
function namedIn(params: Record<string, string> | undefined): string | null {
  for (const name in params) {
    const value = params[name]
    if (value !== undefined && OBJECT_ID.test(value)) return value
  }
  return null
}
