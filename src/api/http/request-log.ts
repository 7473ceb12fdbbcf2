import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TimeSpent } from '../../platform/log/spent.ts'
import { toNetwork } from '../rate-limits/client-address.ts'
import type { AdmittedRequest, AnsweredRequest, Frame } from './frame.ts'
import { clientAddress } from './guards.ts'

// Probes call these every few seconds.
export const PROBE_ROUTES = ['/livez', '/healthz', '/readyz', '/metrics']
const LIVE_KEY = /^Bearer +sk_live_/i
const OBJECT_ID = /^[a-z]{2,5}_[a-z0-9]{10,50}$/

/**
 * Counts the request, writes its one log line, and notes it for its merchant: what was requested and answered, never keys, bodies or
 * phone numbers.
 */
export function logRequest<App>(
  { log, metrics, note, trustedProxies }: Pick<Frame<App>, 'log' | 'metrics' | 'note' | 'trustedProxies'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { passed } = request
  const observed = {
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: reply.elapsedTime,
  }
  metrics.observe(observed.route, {
    status: observed.status,
    ms: observed.ms,
    outcome: request.outcome ?? null,
    live: isLive(request, observed),
  })
  const level = PROBE_ROUTES.includes(observed.route) && observed.status < 400 ? 'debug' : 'info'
  if (log.isLevelEnabled(level)) log[level](buildLogLine(request, reply, { ...observed, trustedProxies }), 'request')
  if (passed !== null) note(buildAnsweredRequest(request, passed, observed))
}

/**
 * Whether the request was one about live money. A fault of ours may come before its key is looked at: then its prefix tells. What came without a
 * key that is in force is nobody's.
 */
function isLive({ passed, headers }: FastifyRequest, { route, status }: ObservedRequest): boolean {
  if (!route.startsWith('/v1/')) return false
  if (passed !== null) return passed.caller.mode === 'live'
  return status >= 500 && LIVE_KEY.test(headers.authorization ?? '')
}

type ObservedRequest = { route: string; status: number; ms: number }

function buildLogLine(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, status, ms, trustedProxies }: ObservedRequest & { trustedProxies: number },
) {
  const { id, method, code, passed, objectId, outcome } = request
  const { merchantId, mode, scope, keyLast4, origin } = passed?.caller ?? {}
  return {
    request_id: id,
    method,
    route,
    status,
    code: code ?? undefined,
    ms: tenths(ms),
    ...buildSpentFields(request.spent),
    trace_id: request.spent?.span?.traceId,
    merchant: merchantId,
    mode,
    scope,
    key_last4: keyLast4,
    object_id: objectId ?? undefined,
    idempotency: outcome ?? undefined,
    ignored: request.ignored ?? undefined,
    bytes_in: parseByteCount(request.headers['content-length']),
    bytes_out: request.bytesOut ?? parseByteCount(reply.getHeader('content-length')),
    client_ip: toNetwork(origin ?? clientAddress(request.raw, trustedProxies)),
  }
}

const tenths = (ms: number) => Math.round(ms * 10) / 10
const parseByteCount = (length: unknown) => (length === undefined ? undefined : Number(length) || undefined)

/** Leaves out what the request did not use. */
function buildSpentFields(spent: TimeSpent | null) {
  if (spent === null) return {}
  const { dbMs, queueMs, batch, railMs, railClass } = spent
  return {
    db_ms: dbMs === 0 ? undefined : tenths(dbMs),
    queue_ms: dbMs === 0 ? undefined : tenths(queueMs),
    batch: batch === 0 ? undefined : batch,
    rail_ms: railClass === null ? undefined : tenths(railMs),
    rail_class: railClass ?? undefined,
  }
}

function buildAnsweredRequest(
  request: FastifyRequest,
  { caller, key }: AdmittedRequest,
  { route, status, ms }: ObservedRequest,
): AnsweredRequest {
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
    objectId: objectId ?? findNamedObject(params as Record<string, string> | undefined),
    ignored: request.ignored,
  }
}

/** Finds the object that the path names: a refused request is about it too. */
function findNamedObject(params: Record<string, string> | undefined): string | null {
  for (const name in params) {
    const value = params[name]
    if (value !== undefined && OBJECT_ID.test(value)) return value
  }
  return null
}
