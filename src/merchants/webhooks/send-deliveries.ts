import { randomBytes } from 'node:crypto'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'
import { count as counted, recordTime, registerSockets } from '../../platform/log/measures.ts'
import { beginSpan, isTracing, type Span } from '../../platform/log/tracing.ts'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { readWebhookSecrets } from '../account/secrets.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  findAllDueMerchants,
  findDueMerchants,
  MAX_DUE_ROWS_READ,
  type SocketQuota,
} from './claim-deliveries.ts'
import {
  type EndedDeliveryAttempt,
  formatAttemptError,
  isSuccess,
  recordAttempts,
  releaseLeases,
} from './record-attempts.ts'
import { serviceSignature, standardHeaders } from './signature.ts'
import { allotSockets, newSockets } from './socket-quotas.ts'

/** Sends the deliveries of one cell: claims them, posts them and records the attempts. */
type DeliverySender = {
  /** Claims due deliveries for the free sockets and starts their attempts. Returns how many were started. */
  start(): Promise<number>
  /** Resolves when every attempt started here has ended and was recorded. */
  idle(): Promise<void>
  /** Waits for attempts to end, then makes deliveries that are still claimed due again. */
  stop(): Promise<void>
}

const USER_AGENT = 'gateway-webhooks/1.0'

export function deliverySender(app: App): DeliverySender {
  const token = randomBytes(12).toString('hex')
  const { lanes, merchants, takeSocket } = newSockets(() => app.nudge('send-deliveries'))
  const running = new Set<Promise<void>>()
  registerSockets(running, lanes)

  async function start(): Promise<number> {
    const now = app.clock.now()
    const quotas = allotSockets(await readDueMerchants(app, now), { lanes, merchants }, now.getTime())
    if (quotas.length === 0) return 0
    const claimed = await claimQuotas(app, { now, token, quotas })
    crashPoint('delivery.claimed')
    const secrets = await readWebhookSecrets(app, [...new Set(claimed.map(({ merchantId }) => merchantId))])
    for (const delivery of claimed) launch(delivery, secrets.get(delivery.merchantId) ?? [])
    return claimed.length
  }

  function launch(claimed: ClaimedDelivery, secrets: readonly string[]): void {
    const socket = takeSocket(claimed)
    const attempt = postDelivery(app, claimed, secrets)
      .then((attempted) => {
        // A receiver that answers well gets its next delivery before this one is recorded. One that does not is judged first.
        if (isSuccess(attempted)) socket.free()
        return recordingLane(app).add({ claimed, token, attempted })
      })
      .catch((error) => {
        // The lease brings the delivery back; nothing is lost.
        app.log.error({ err: error, event_id: claimed.eventId }, 'an attempt could not be recorded')
      })
      .then(() => {
        socket.free()
        running.delete(attempt)
        app.nudge('send-deliveries')
      })
    running.add(attempt)
  }

  return {
    start,
    idle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
    stop: async () => {
      while (running.size > 0) await Promise.all(running)
      const release = releaseLeases(token)
      await app.db.query(release.statement, release.values).catch(() => {})
      crashPoint('drain.leases-released')
    },
  }
}

async function readDueMerchants(app: App, now: Date) {
  const find = findDueMerchants(now)
  const due = await app.db.query(find.statement, find.values)
  const rowsRead = due.reduce((sum, merchant) => sum + merchant.looked, 0)
  if (rowsRead < MAX_DUE_ROWS_READ) return due
  const findAll = findAllDueMerchants(now)
  return app.db.query(findAll.statement, findAll.values)
}

async function claimQuotas(
  app: App,
  { now, token, quotas }: { now: Date; token: string; quotas: SocketQuota[] },
): Promise<ClaimedDelivery[]> {
  const claims = claimDeliveries(now, token, quotas)
  return app.db.query(claims.statement, claims.values)
}

/** Makes one attempt: posts the stored bytes, signed with the secret that is current now (contract.md section 5). */
async function postDelivery(app: App, claimed: ClaimedDelivery, secrets: readonly string[]): Promise<PostAttempt> {
  assertOutsideTransaction('a webhook attempt')
  const body = Buffer.from(claimed.body, 'utf8')
  const signature = serviceSignature(secrets[0] ?? '', body)
  const alias = app.config.webhookSignatureAlias
  const span = beginDelivery(claimed)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Signature': signature,
    ...(alias === null ? {} : { [alias]: signature }),
    ...(span === null ? {} : { traceparent: span.traceparent }),
    ...standardHeaders({ id: claimed.eventId, at: app.clock.now(), body, secrets }),
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

function countAttempt(app: App, { attempts, lane, createdAt }: ClaimedDelivery, attempted: PostAttempt): void {
  const result = isSuccess(attempted) ? 'delivered' : attempted.kind
  counted('webhook_attempts_total', result, lane)
  if (attempted.kind === 'refused_target') counted('webhook_refused_target_total')
  if (attempts > 0) return
  const waitedMs = app.clock.nowMs() - attempted.elapsedMs - createdAt.getTime()
  recordTime('webhook_first_attempt_seconds', Math.max(0, waitedMs) / 1000)
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

// Nobody waits for these records, so where there are several they wait for more. Where the process dies meanwhile, the lease brings
// those deliveries back, as it does with those whose record was under way.
const GATHER_MS = 40

const recordingLane = defineLane('record deliveries', (app): Batch<EndedDeliveryAttempt, null> => {
  const records: Batch<EndedDeliveryAttempt, null> = newBatch({
    keyOf: ({ claimed }) => claimed.merchantId,
    refuses: false,
    gatherMs: () => (records.waiting() > 1 ? GATHER_MS : 0),
    run: async (ended, turn) => {
      await app.db.transactionFor(turn, async (tx) => {
        const [recorded] = await tx.send(...recordAttempts(ended, app.clock.now(), app.config.webhookRetryDelays))
        for (let lost = ended.length - (recorded?.length ?? 0); lost > 0; lost -= 1)
          counted('lease_lost_total', 'send-deliveries')
        return { value: null }
      })
      crashPoint('delivery.recorded')
      return ended.map(() => itemDone(null))
    },
  })
  return records
})
