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
  const seen = {
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: reply.elapsedTime,
  }
  metrics.observe(seen.route, { status: seen.status, ms: seen.ms, outcome: request.outcome ?? null })
  if (log.isLevelEnabled('info')) log.info(lineOf(request, seen), 'request')
  if (passed !== null) note(notedOf(request, passed, seen))
}

type Seen = { route: string; status: number; ms: number }

const lineOf = (
  { id, method, code, passed, objectId, outcome }: FastifyRequest,
  { route, status, ms }: Seen,
) => ({
  request_id: id,
  method,
  route,
  status,
  code: code ?? undefined,
  ms: Math.round(ms * 10) / 10,
  merchant: passed?.caller.merchantId,
  mode: passed?.caller.mode,
  scope: passed?.caller.scope,
  key_last4: passed?.caller.keyLast4,
  object_id: objectId ?? undefined,
  idempotency: outcome ?? undefined,
})

function notedOf(
  request: FastifyRequest,
  { caller, key }: Passed,
  { route, status, ms }: Seen,
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
