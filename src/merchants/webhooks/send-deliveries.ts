import { randomBytes } from 'node:crypto'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { count as counted, registerSockets } from '../../platform/log/measures.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { addMs, msLeft, type TimeSpan } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { readWebhookSecrets } from '../account/secrets.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  DELIVERY_LEASE_MS,
  findAllDueMerchants,
  findDueMerchants,
  MAX_DUE_ROWS_READ,
  type SocketQuota,
} from './claim-deliveries.ts'
import type { NewDelivery } from './events.ts'
import { KnownReceivers } from './known-receivers.ts'
import { type OwnDelivery, type OwnSender, offerSender } from './own-deliveries.ts'
import { postDelivery } from './post-delivery.ts'
import { type EndedDeliveryAttempt, isSuccess, recordAttempts, releaseLeases } from './record-attempts.ts'
import { allotSockets, newSockets, type WebhookSocket } from './socket-quotas.ts'

/** Sends the deliveries of one cell: claims them, posts them and records the attempts. */
type DeliverySender = {
  /** From now on deliveries that payments of this process store may skip their claim, until `stop`. */
  begin(): void
  /** Claims due deliveries for the free sockets and starts their attempts. Returns how many were started. */
  start(): Promise<number>
  /** Resolves when every attempt started here has ended and was recorded. */
  idle(): Promise<void>
  /** Waits for attempts to end, then makes deliveries that are still claimed due again. */
  stop(): Promise<void>
}

/** The socket of a delivery. `end` frees it; a stop waits for that. */
type Place = { socket: WebhookSocket; end(): void }
type OwnAttempt = { claimed: ClaimedDelivery; lease: TimeSpan; place: Place }

// An attempt takes five seconds at most. One that would begin later could still be under way when another process claims its delivery.
const MIN_LEASE_LEFT_MS = 7000

export function deliverySender(app: App): DeliverySender {
  const sender = new CellSender(app)
  return {
    begin: () => sender.begin(),
    start: () => sender.start(),
    idle: () => sender.idle(),
    stop: () => sender.stop(),
  }
}

class CellSender implements OwnSender {
  readonly #app: App
  readonly #token = randomBytes(12).toString('hex')
  readonly #receivers = new KnownReceivers()
  readonly #sockets: ReturnType<typeof newSockets>
  readonly #running = new Set<Promise<void>>()
  readonly #secrets: Batch<OwnAttempt, readonly string[]>
  #withdraw = (): void => {}

  constructor(app: App) {
    this.#app = app
    const { isWaiting } = this.#receivers
    this.#sockets = newSockets({ isWaiting, wake: () => app.nudge('send-deliveries') })
    this.#secrets = newSecretsBatch(app)
    registerSockets(this.#running, this.#sockets.lanes)
  }

  begin(): void {
    this.#withdraw = offerSender(this.#app, this)
  }

  async start(): Promise<number> {
    const app = this.#app
    const { lanes, merchants } = this.#sockets
    const now = app.clock.now()
    const look = this.#receivers.beginLook()
    const due = await readDueMerchants(app, now)
    look.found(due)
    const quotas = allotSockets(due, { lanes, merchants }, now.getTime())
    if (quotas.length === 0) return 0
    const release = this.#sockets.promise(quotas)
    try {
      const claimed = await claimQuotas(app, { now, token: this.#token, quotas })
      crashPoint('delivery.claimed')
      const secrets = await readWebhookSecrets(app, distinctMerchants(claimed))
      for (const delivery of claimed) this.#launch(delivery, secrets.get(delivery.merchantId) ?? [])
      look.claimed(quotas, claimed)
      return claimed.length
    } finally {
      release()
    }
  }

  take({ merchantId, mode, eventId, body, createdAt }: NewDelivery, url: string): OwnDelivery | null {
    const receiver = this.#receivers.find({ merchantId, url, nowMs: createdAt.getTime() })
    if (receiver === null || !this.#sockets.hasRoomForOwn(merchantId, receiver)) return null
    if (this.#app.witness.doubt() !== null) return null
    const facts = { merchantId, mode, eventId, body, url, createdAt, dueAt: createdAt }
    const own = { ...facts, attempts: 0, lane: 'fast', which: 'first' } as const
    const until = addMs(createdAt, DELIVERY_LEASE_MS)
    const lease = { fromMs: createdAt.getTime(), untilMs: until.getTime() }
    const place = this.#takePlace(own)
    return {
      lease: { until, token: this.#token, url },
      post: () => void this.#postOwn({ claimed: own, lease, place }),
      giveBack: place.end,
    }
  }

  addWaiting(merchantId: number): void {
    this.#receivers.addWaiting(merchantId)
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async stop(): Promise<void> {
    this.#withdraw()
    await this.idle()
    const release = releaseLeases(this.#token)
    await this.#app.db.query(release.statement, release.values).catch(() => {})
    crashPoint('drain.leases-released')
  }

  #takePlace(taken: ClaimedDelivery): Place {
    const socket = this.#sockets.takeSocket(taken)
    let settle = () => {}
    const place = new Promise<void>((resolve) => {
      settle = resolve
    })
    this.#running.add(place)
    const end = () => {
      socket.free()
      this.#running.delete(place)
      settle()
    }
    return { socket, end }
  }

  #launch(claimed: ClaimedDelivery, secrets: readonly string[]): void {
    const place = this.#takePlace(claimed)
    void this.#attempt(claimed, { secrets, place }).finally(() => this.#app.nudge('send-deliveries'))
  }

  /** Posts a delivery that was stored as claimed. Where its lease is nearly over, or no secret can be read, the lease brings it back. */
  async #postOwn(own: OwnAttempt): Promise<void> {
    const { claimed, place } = own
    try {
      const secrets = await this.#secrets.add(own)
      if (msLeft(own.lease, this.#app.clock.nowMs()) < MIN_LEASE_LEFT_MS) place.end()
      else await this.#attempt(claimed, { secrets, place })
    } catch (error) {
      this.#app.log.error({ err: error, event_id: claimed.eventId }, 'a delivery waits for the end of its lease')
      place.end()
    }
  }

  async #attempt(
    claimed: ClaimedDelivery,
    { secrets, place }: { secrets: readonly string[]; place: Place },
  ): Promise<void> {
    const app = this.#app
    try {
      const attempted = await postDelivery(app, claimed, secrets)
      this.#receivers.heard(claimed, attempted, app.clock.now())
      // A receiver that answers well gets its next delivery before this one is recorded. One that does not is judged first.
      if (isSuccess(attempted)) place.socket.free()
      await recordingLane(app).add({ claimed, token: this.#token, attempted })
    } catch (error) {
      // The lease brings the delivery back; nothing is lost.
      app.log.error({ err: error, event_id: claimed.eventId }, 'an attempt could not be recorded')
    } finally {
      place.end()
    }
  }
}

const distinctMerchants = (deliveries: readonly Pick<ClaimedDelivery, 'merchantId'>[]): number[] => [
  ...new Set(deliveries.map(({ merchantId }) => merchantId)),
]

/** Reads the secrets of deliveries of several commits in one statement, in the order of the commits. */
const newSecretsBatch = (app: App): Batch<OwnAttempt, readonly string[]> =>
  newBatch({
    keyOf: ({ claimed }) => claimed.merchantId,
    refuses: false,
    beside: false,
    run: async (own) => {
      const secrets = await readWebhookSecrets(app, distinctMerchants(own.map(({ claimed }) => claimed)))
      return own.map(({ claimed }) => itemDone(secrets.get(claimed.merchantId) ?? []))
    },
  })

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
