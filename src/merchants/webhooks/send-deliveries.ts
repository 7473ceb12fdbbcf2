import { randomBytes } from 'node:crypto'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { count as counted, registerSockets } from '../../platform/log/measures.ts'
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
import { postDelivery } from './post-delivery.ts'
import { type EndedDeliveryAttempt, isSuccess, recordAttempts, releaseLeases } from './record-attempts.ts'
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
