import type { App } from '../../app.ts'
import { inOpenMonth, lockHeads } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Desk, openDesk } from '../desk/desk.ts'
import { lockGuards } from '../desk/lock-desk.ts'
import type { NewPayout } from '../new-payout.ts'
import { type PayoutReadiness, payoutReadiness } from '../payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payout-request.ts'
import { judgePayout } from '../payout-rules.ts'
import { BULK_LEASE_MS, type BulkBatch, lockBatch, type StoredItem } from './bulk-batch.ts'
import { type SpentReference, spentReferences, waitingReferences } from './bulk-references.ts'
import { addResults, type ItemResult } from './bulk-results.ts'

// One transaction holds the merchant's ledger head for this many items: long enough to be cheap, short enough for others.
const CHUNK = 200

const IN_FLIGHT = {
  error: 'a payout with this reference is still in flight',
  code: 'reference_in_flight',
  retryable: true,
}
const OTHER_DETAILS = {
  error: 'reference reused with different payout details',
  code: 'reference_conflict',
  retryable: false,
}
const railAway = () =>
  new Refusal(
    503,
    'rail_unavailable',
    'disbursement temporarily unavailable - retry with a new Idempotency-Key and the same reference',
  )

/** Runs the items that have no result yet, in ascending index, chunk by chunk. Two runners at once do no harm. */
export async function runChunks(
  app: App,
  { merchantId, id, mode }: Pick<BulkBatch, 'merchantId' | 'id' | 'mode'>,
): Promise<void> {
  const readiness = await payoutReadiness(app, { mode, channel: DEFAULT_PAYOUT_CHANNEL })
  for (let left = true; left; ) {
    left = await inOpenMonth(() => runChunk(app, { merchantId, id, mode, readiness }))
    crashPoint('bulk.chunk-committed')
  }
}

type Running = Pick<BulkBatch, 'merchantId' | 'id' | 'mode'> & { readiness: PayoutReadiness }

/** The items that run, and what decides on them. `spent` and `waiting` were read after the head was locked, so no other batch can add to them. */
type Chunk = {
  batch: BulkBatch
  desk: Desk
  spent: Map<string, SpentReference>
  waiting: ReadonlySet<string>
  readiness: PayoutReadiness
  at: Date
}

/** Runs the next items and stores their results. Answers whether any are left. */
function runChunk(app: App, { merchantId, id, mode, readiness }: Running): Promise<boolean> {
  const at = app.clock.now()
  const places = [{ merchantId, mode }]
  return app.db.transactionFor({ of: merchantId, begun: true }, async (tx) => {
    const [[batch], terms, stops] = await tx.send(lockBatch(merchantId, id), ...lockGuards(places))
    assert(batch, 'a batch that is run was stored')
    if (batch.done === batch.total) return { value: false }
    const items = batch.items.slice(batch.done, batch.done + CHUNK)
    const references = items.map((item) => item.reference)
    const [heads, spent, waiting] = await tx.send(
      lockHeads(places),
      spentReferences(batch, references),
      waitingReferences(batch),
    )
    const chunk: Chunk = {
      batch,
      desk: await openDesk(app, tx, { terms, stops, heads, at }),
      spent: new Map(spent.map((one) => [one.reference, one])),
      waiting: new Set(waiting.map((one) => one.reference)),
      readiness,
      at,
    }
    const results = items.map((item, offset) => runItem(app, chunk, { item, index: batch.done + offset }))
    return {
      value: batch.done + items.length < batch.total,
      last: [...chunk.desk.writes(), ...addResults(batch, results, new Date(at.getTime() + BULK_LEASE_MS))],
    }
  })
}

function runItem(app: App, chunk: Chunk, { item, index }: { item: StoredItem; index: number }): ItemResult {
  const at = { index, reference: item.reference }
  if ('error' in item) return { ...at, error: item.error, code: 'invalid_item', retryable: false }
  const spent = chunk.spent.get(item.reference)
  if (spent) {
    if (!sameDetails(spent, item)) return { ...at, ...OTHER_DETAILS }
    return {
      ...at,
      payoutId: spent.payoutId,
      status: spent.status,
      replayed: true,
      firstAcceptedAt: spent.acceptedAt,
    }
  }
  if (chunk.waiting.has(item.reference)) return { ...at, ...IN_FLIGHT }
  try {
    const payout = acceptItem(app, chunk, { item, index })
    chunk.spent.set(item.reference, spentBy(payout))
    return { ...at, payoutId: payout.id, status: payout.status, replayed: false, firstAcceptedAt: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // What is not kept under a key may go well the next time.
    return { ...at, error: error.message, code: error.code, retryable: !error.stored }
  }
}

type Readable = Extract<StoredItem, { amount: number }>

/** The rules of a single payout, item by item (G13f). */
function acceptItem(
  app: App,
  { batch, desk, readiness, at }: Chunk,
  { item, index }: { item: Readable; index: number },
): NewPayout {
  const { merchantId, mode } = batch
  const { amount, channel, phone, name, reference } = item
  const terms = desk.termsOf(merchantId)
  judgePayout({ amount, currency: 'UGX', channel }, { terms, mode, config: app.config })
  return desk.accept(
    { merchantId, tag: terms.tag, mode },
    {
      origin: { kind: 'bulk', batchId: batch.id, itemIndex: index },
      amount,
      channel,
      phone,
      name,
      reference,
      at,
    },
    { readiness, away: railAway },
  )
}

const sameDetails = (spent: SpentReference, item: Readable) =>
  spent.amount === item.amount && spent.channel === item.channel && spent.recipientPhone === item.phone

const spentBy = (payout: NewPayout): SpentReference => ({
  reference: payout.reference as string,
  payoutId: payout.id,
  status: payout.status,
  amount: payout.amount,
  channel: payout.channel,
  recipientPhone: payout.recipientPhone,
  acceptedAt: payout.createdAt,
})
