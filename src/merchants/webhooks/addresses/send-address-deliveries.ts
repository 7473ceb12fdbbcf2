import { randomBytes } from 'node:crypto'
import { type Batch, newBatch } from '../../../platform/batches/batch.ts'
import { itemDone } from '../../../platform/batches/batch-run.ts'
import { defineLane } from '../../../platform/batches/lane.ts'
import { count as counted } from '../../../platform/log/measures.ts'
import type { App } from '../../../program/app.ts'
import { MAX_DUE_ROWS_READ } from '../claim-deliveries.ts'
import { postDelivery } from '../post-delivery.ts'
import { deliverySender } from '../send-deliveries.ts'
import { bindAddressSecret } from './address.ts'
import {
  type AddressQuota,
  type ClaimedForAddress,
  claimAddressDeliveries,
  type DueAddress,
  findAllDueAddresses,
  findDueAddresses,
} from './claim-address-deliveries.ts'
import { type EndedAddressAttempt, recordAddressAttempts, releaseAddressLeases } from './record-address-attempts.ts'
import { parkDeliveries } from './tend-addresses.ts'

/** Sends the deliveries to the further addresses of one cell, beside those to first addresses, on sockets of its own. */
type AddressSender = {
  /** Claims due deliveries for the free sockets and starts their attempts. Returns how many were started. */
  start(): Promise<number>
  /** Waits for attempts to end, then makes deliveries that are still claimed due again. */
  stop(): Promise<void>
}

/** Sockets of one worker: of addresses that answer, and of those whose last attempts failed, which never take the others'. */
const SOCKETS = { working: 192, failing: 64 } as const
const SOCKETS_OF_ONE = { working: 8, failing: 1 } as const
type AddressKind = keyof typeof SOCKETS
type OpenAttempts = { kinds: Record<AddressKind, number>; addresses: Map<string, number> }

/** The task that sends to first addresses and, on sockets of their own, to the further ones: neither waits for an answer to the other. */
export function newDeliverySweep(app: App) {
  const first = deliverySender(app)
  const further = addressSender(app)
  return {
    everyMs: 200,
    begin: first.begin,
    runOnce: async () => (await first.start()) + (await further.start()),
    finish: async () => {
      await Promise.all([first.stop(), further.stop()])
    },
  }
}

function addressSender(app: App): AddressSender {
  const token = randomBytes(12).toString('hex')
  const open: OpenAttempts = { kinds: { working: 0, failing: 0 }, addresses: new Map() }
  const running = new Set<Promise<void>>()
  return {
    async start() {
      const now = app.clock.now()
      const due = await readDue(app, now)
      const stopped = due.filter(({ works }) => !works)
      await parkDeliveries(app, stopped, now)
      const working = due.filter(({ works }) => works)
      const quotas = allotAddressSockets(working, open)
      if (quotas.length === 0) return 0
      const claim = claimAddressDeliveries(now, token, quotas)
      const claimed = await app.db.query(claim.statement, claim.values)
      const kinds = new Map(working.map(({ addressId, failing }) => [addressId, kindOf({ failing })]))
      for (const delivery of claimed) {
        const free = takeSocket(open, delivery.addressId, kinds.get(delivery.addressId) ?? 'failing')
        const attempt = makeAttempt(app, delivery, token).finally(() => {
          free()
          running.delete(attempt)
          app.nudge('send-deliveries')
        })
        running.add(attempt)
      }
      return claimed.length
    },
    async stop() {
      while (running.size > 0) await Promise.all(running)
      const release = releaseAddressLeases(token)
      await app.db.query(release.statement, release.values).catch(() => {})
    },
  }
}

async function readDue(app: App, now: Date): Promise<DueAddress[]> {
  const find = findDueAddresses(now)
  const due = await app.db.query(find.statement, find.values)
  if (due.reduce((sum, { looked }) => sum + looked, 0) < MAX_DUE_ROWS_READ) return due
  const findAll = findAllDueAddresses(now)
  return app.db.query(findAll.statement, findAll.values)
}

const kindOf = ({ failing }: Pick<DueAddress, 'failing'>): AddressKind => (failing ? 'failing' : 'working')

/** Allots the free sockets, to the address that waits longest first: eight each, one to an address that fails. */
function allotAddressSockets(due: readonly DueAddress[], open: OpenAttempts): AddressQuota[] {
  const free = { working: SOCKETS.working - open.kinds.working, failing: SOCKETS.failing - open.kinds.failing }
  return due.flatMap((address) => {
    const { merchantId, addressId } = address
    const kind = kindOf(address)
    const take = Math.min(SOCKETS_OF_ONE[kind] - (open.addresses.get(addressId) ?? 0), free[kind])
    if (take <= 0) return []
    free[kind] -= take
    return [{ merchantId, addressId, take }]
  })
}

/** Counts a socket as taken until the function that it returns is called. */
function takeSocket({ kinds, addresses }: OpenAttempts, addressId: string, kind: AddressKind): () => void {
  const count = (by: 1 | -1) => {
    kinds[kind] += by
    const now = (addresses.get(addressId) ?? 0) + by
    if (now === 0) addresses.delete(addressId)
    else addresses.set(addressId, now)
  }
  count(1)
  return () => count(-1)
}

async function makeAttempt(app: App, claimed: ClaimedForAddress, token: string): Promise<void> {
  try {
    const attempted = await postDelivery(app, claimed, openSecrets(app, claimed))
    await recordingLane(app).add({ claimed, token, attempted })
  } catch (error) {
    // The lease brings the delivery back; nothing is lost.
    app.log.error({ err: error, event_id: claimed.eventId }, 'an attempt at a further address could not be recorded')
  }
}

function openSecrets(app: App, { merchantId, addressId, secret, previousSecret }: ClaimedForAddress): string[] {
  const row = { merchantId, id: addressId }
  const current = app.vault.open(secret, bindAddressSecret(row, 'secret'))
  if (previousSecret === null) return [current]
  return [current, app.vault.open(previousSecret, bindAddressSecret(row, 'previous_secret'))]
}

const recordingLane = defineLane(
  'record deliveries to further addresses',
  (app): Batch<EndedAddressAttempt, null> =>
    newBatch({
      keyOf: ({ claimed }) => claimed.merchantId,
      refuses: false,
      run: async (ended, turn) => {
        await app.db.transactionFor(turn, async (tx) => {
          const delays = app.config.webhookRetryDelays
          const [recorded] = await tx.send(...recordAddressAttempts(ended, app.clock.now(), delays))
          for (let lost = ended.length - (recorded?.length ?? 0); lost > 0; lost -= 1)
            counted('lease_lost_total', 'send-deliveries')
          return { value: null }
        })
        return ended.map(() => itemDone(null))
      },
    }),
)
