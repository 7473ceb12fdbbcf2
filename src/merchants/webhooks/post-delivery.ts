import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'
import { count as counted, recordTime } from '../../platform/log/measures.ts'
import { beginSpan, isTracing, type Span } from '../../platform/log/tracing.ts'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import { formatAttemptError, isSuccess } from './record-attempts.ts'
import { attemptHeaders } from './signature.ts'

// What the public page of the service calls on time.
const ON_TIME_MS = 10_000

/** Makes one attempt: posts the stored bytes, signed with the secret that is current now (contract.md section 5). Returns what was heard. */
export async function postDelivery(
  app: App,
  claimed: ClaimedDelivery,
  secrets: readonly string[],
): Promise<PostAttempt> {
  assertOutsideTransaction('a webhook attempt')
  const body = Buffer.from(claimed.body, 'utf8')
  const span = beginDelivery(claimed)
  const signed = { id: claimed.eventId, at: app.clock.now(), body, secrets }
  const headers = {
    ...attemptHeaders(signed, app.config.webhookSignatureAlias),
    ...(claimed.sequence == null ? {} : { 'X-Event-Sequence': String(claimed.sequence) }),
    ...(span === null ? {} : { traceparent: span.traceparent }),
  }
  crashPoint('delivery.sent')
  const attempted = await app.poster.post({
    url: claimed.url,
    body,
    headers,
    keepAlive: claimed.lane === 'fast',
    // Receivers recognise an event by its id, so that receiving it twice does no harm.
    mayRepeat: true,
  })
  crashPoint('delivery.answered')
  endDelivery(span, attempted)
  logAttempt(app, claimed, attempted)
  countAttempt(app, claimed, attempted)
  return attempted
}

/** Begins the span of an attempt, whose place in its trace the receiver is told. */
const beginDelivery = ({ attempts, lane }: ClaimedDelivery): Span | null =>
  isTracing()
    ? beginSpan('webhook', { kind: 'client', attributes: { 'gateway.attempt': attempts + 1, 'gateway.lane': lane } })
    : null

function endDelivery(span: Span | null, attempted: PostAttempt): void {
  if (attempted.kind === 'answered') span?.set({ 'http.response.status_code': attempted.status })
  span?.set({
    'gateway.outcome': isSuccess(attempted) ? 'delivered' : (formatAttemptError(attempted) ?? attempted.kind),
  })
  span?.end({ failed: !isSuccess(attempted) })
}

function countAttempt(
  app: App,
  { attempts, lane, createdAt, dueAt, mode }: ClaimedDelivery,
  attempted: PostAttempt,
): void {
  const result = isSuccess(attempted) ? 'delivered' : attempted.kind
  counted('webhook_attempts_total', result, lane)
  if (attempted.kind === 'refused_target') counted('webhook_refused_target_total')
  if (attempts > 0) return
  const startedMs = app.clock.nowMs() - attempted.elapsedMs
  recordTime('webhook_first_attempt_seconds', Math.max(0, startedMs - createdAt.getTime()) / 1000)
  // A receiver that does not answer keeps its own deliveries waiting.
  if (mode === 'live' && lane === 'fast' && dueAt !== null)
    app.serviceCounts.add('webhooks', { good: startedMs - dueAt.getTime() <= ON_TIME_MS, at: app.clock.now() })
}

function logAttempt(app: App, claimed: ClaimedDelivery, attempted: PostAttempt): void {
  app.log.info(
    {
      event_id: claimed.eventId,
      attempt: claimed.attempts + 1,
      status: attempted.kind === 'answered' ? attempted.status : undefined,
      error_class: formatAttemptError(attempted) ?? undefined,
      ms: Math.round(attempted.elapsedMs),
      lane: claimed.lane,
    },
    isSuccess(attempted) ? 'delivered' : 'delivery failed',
  )
}
