import { randomBytes } from 'node:crypto'
import type { App } from '../app.ts'
import { webhookSecrets } from '../merchants/secrets.ts'
import { type Batch, batch } from '../platform/batch.ts'
import { done } from '../platform/batch-run.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import { defineLane } from '../platform/lane.ts'
import { count as counted, sockets, timed } from '../platform/measures.ts'
import type { Attempted } from '../platform/outbound/attempt.ts'
import {
  type Claimed,
  claimDeliveries,
  DUE_LOOKED_AT,
  type Lane,
  lookForDue,
  lookThoroughly,
  type Share,
} from './claim-deliveries.ts'
import { shareOut } from './lanes.ts'
import { type Ended, errorOf, isSuccess, recordAttempts, releaseLeases } from './record-attempts.ts'
import { serviceSignature, standardHeaders } from './signature.ts'

/** Sends the deliveries of one cell: claims them, posts them and records the attempts. */
type Sender = {
  /** Claims due deliveries for the free sockets and starts their attempts. Returns how many were started. */
  start(): Promise<number>
  /** Resolves when every attempt started here has ended and was recorded. */
  idle(): Promise<void>
  /** Waits for attempts to end, then makes deliveries that are still claimed due again. */
  stop(): Promise<void>
}

const USER_AGENT = 'gateway-webhooks/1.0'

export function sender(app: App): Sender {
  const token = randomBytes(12).toString('hex')
  const lanes: Record<Lane, number> = { fast: 0, slow: 0 }
  const merchants = new Map<number, number>()
  const running = new Set<Promise<void>>()
  sockets(running, lanes)

  async function start(): Promise<number> {
    const now = app.clock.now()
    const quotas = shareOut(await dueMerchants(app, now), { lanes, merchants }, now.getTime())
    if (quotas.length === 0) return 0
    const claimed = await claim(app, { now, token, quotas })
    crashPoint('delivery.claimed')
    const secrets = await webhookSecrets(app, [...new Set(claimed.map(({ merchantId }) => merchantId))])
    for (const delivery of claimed) launch(delivery, secrets.get(delivery.merchantId) ?? [])
    return claimed.length
  }

  function launch(claimed: Claimed, secrets: readonly string[]): void {
    count(claimed, 1)
    const attempt = post(app, claimed, secrets)
      .then((attempted) => records(app).add({ claimed, token, attempted }))
      .catch((error) => {
        // The lease brings the delivery back; nothing is lost.
        app.log.error({ err: error, event_id: claimed.eventId }, 'an attempt could not be recorded')
      })
      .then(() => {
        count(claimed, -1)
        running.delete(attempt)
        app.nudge('send-deliveries')
      })
    running.add(attempt)
  }

  function count({ lane, merchantId }: Claimed, by: 1 | -1): void {
    lanes[lane] += by
    const now = (merchants.get(merchantId) ?? 0) + by
    if (now === 0) merchants.delete(merchantId)
    else merchants.set(merchantId, now)
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

async function dueMerchants(app: App, now: Date) {
  const find = lookForDue(now)
  const due = await app.db.query(find.statement, find.values)
  const rowsRead = due.reduce((sum, merchant) => sum + merchant.looked, 0)
  if (rowsRead < DUE_LOOKED_AT) return due
  const findAll = lookThoroughly(now)
  return app.db.query(findAll.statement, findAll.values)
}

async function claim(
  app: App,
  { now, token, quotas }: { now: Date; token: string; quotas: Share[] },
): Promise<Claimed[]> {
  const claims = claimDeliveries(now, token, quotas)
  return app.db.query(claims.statement, claims.values)
}

/** Makes one attempt: posts the stored bytes, signed with the secret that is current now (contract.md section 5). */
async function post(app: App, claimed: Claimed, secrets: readonly string[]): Promise<Attempted> {
  assertOutsideTransaction('a webhook attempt')
  const body = Buffer.from(claimed.body, 'utf8')
  const signature = serviceSignature(secrets[0] ?? '', body)
  const alias = app.config.webhookSignatureAlias
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Signature': signature,
    ...(alias === null ? {} : { [alias]: signature }),
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
  logAttempt(app, claimed, attempted)
  measure(app, claimed, attempted)
  return attempted
}

function measure(app: App, { attempts, lane, createdAt }: Claimed, attempted: Attempted): void {
  const result = isSuccess(attempted) ? 'delivered' : attempted.kind
  counted('webhook_attempts_total', result, lane)
  if (attempted.kind === 'refused_target') counted('webhook_refused_target_total')
  if (attempts > 0) return
  const waitedMs = app.clock.nowMs() - attempted.elapsedMs - createdAt.getTime()
  timed('webhook_first_attempt_seconds', Math.max(0, waitedMs) / 1000)
}

function logAttempt(app: App, claimed: Claimed, attempted: Attempted): void {
  app.log.info(
    {
      event_id: claimed.eventId,
      attempt: claimed.attempts + 1,
      status: attempted.kind === 'answered' ? attempted.status : undefined,
      error_class: errorOf(attempted) ?? undefined,
      ms: Math.round(attempted.elapsedMs),
      lane: claimed.lane,
    },
    isSuccess(attempted) ? 'delivered' : 'delivery failed',
  )
}

const records = defineLane(
  'record deliveries',
  (app): Batch<Ended, null> =>
    batch({
      laneOf: ({ claimed }) => claimed.merchantId,
      refuses: false,
      run: async (ended, turn) => {
        await app.db.transactionFor(turn, async (tx) => {
          const [recorded] = await tx.send(
            ...recordAttempts(ended, app.clock.now(), app.config.webhookRetryDelays),
          )
          for (let lost = ended.length - (recorded?.length ?? 0); lost > 0; lost -= 1)
            counted('lease_lost_total', 'send-deliveries')
          return { value: null }
        })
        crashPoint('delivery.recorded')
        return ended.map(() => done(null))
      },
    }),
)
