import { lockHeads } from '../../../ledger/book.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { type Desk, openDesk } from '../desk/desk.ts'
import type { LockedDesk } from '../desk/lock-desk.ts'
import type { NewPayout } from '../new-payout.ts'
import type { PayoutReadiness } from '../payout-readiness.ts'
import { judgePayout } from '../payout-rules.ts'
import type { BulkBatch, StoredBulkItem } from './bulk-batch.ts'
import { type SpentReference, spentReferences, waitingReferences } from './bulk-references.ts'
import type { ItemResult } from './bulk-results.ts'

const REFERENCE_IN_FLIGHT = {
  error: 'a payout with this reference is still in flight',
  code: 'reference_in_flight',
  retryable: true,
}
const REFERENCE_CONFLICT = {
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

/** The rows that decide on the items of a chunk. `spent` and `waiting` were read after the head was locked, so no other batch can add to them. */
type BulkChunk = {
  batch: BulkBatch
  desk: Desk
  spent: Map<string, SpentReference>
  waiting: ReadonlySet<string>
  readiness: PayoutReadiness
  at: Date
}

type OpenChunkInput = {
  batch: BulkBatch
  items: readonly StoredBulkItem[]
  readiness: PayoutReadiness
  at: Date
  guards: Pick<LockedDesk, 'terms' | 'stops'>
}

/** Locks the head and reads the rows that decide on these items. The guards must be locked already. */
export async function openChunk(app: App, tx: Tx, { guards, ...input }: OpenChunkInput): Promise<BulkChunk> {
  const { batch, items, readiness, at } = input
  const [heads, spent, waiting] = await tx.send(
    lockHeads([batch]),
    spentReferences(
      batch,
      items.map((item) => item.reference),
    ),
    waitingReferences(batch),
  )
  const { merchantId, limitedKey } = batch
  const limitedKeys = limitedKey === null ? [] : [{ merchantId, keyId: limitedKey }]
  return {
    batch,
    desk: await openDesk(app, tx, { ...guards, heads, at, limitedKeys }),
    spent: new Map(spent.map((spentReference) => [spentReference.reference, spentReference])),
    waiting: new Set(waiting.map(({ reference }) => reference)),
    readiness,
    at,
  }
}

/** Runs one item and returns its result. Its payout is reserved in memory; the desk of the chunk writes it. */
export function runItem(
  app: App,
  chunk: BulkChunk,
  { item, index }: { item: StoredBulkItem; index: number },
): ItemResult {
  const metadata = 'error' in item ? null : (item.metadata ?? null)
  const at = { index, reference: item.reference, metadata }
  if ('error' in item) return { ...at, error: item.error, code: 'invalid_item', retryable: false }
  const spent = chunk.spent.get(item.reference)
  if (spent) {
    if (!hasSameDetails(spent, item)) return { ...at, ...REFERENCE_CONFLICT }
    return {
      ...at,
      payoutId: spent.payoutId,
      status: spent.status,
      replayed: true,
      firstAcceptedAt: spent.acceptedAt,
    }
  }
  if (chunk.waiting.has(item.reference)) return { ...at, ...REFERENCE_IN_FLIGHT }
  try {
    const payout = acceptItem(app, chunk, { item, index })
    chunk.spent.set(item.reference, toSpentReference(payout))
    return { ...at, payoutId: payout.id, status: payout.status, replayed: false, firstAcceptedAt: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // A refusal that is not stored under a key may not come the next time.
    return { ...at, error: error.message, code: error.code, retryable: !error.stored }
  }
}

type PayableItem = Extract<StoredBulkItem, { amount: number }>

/** Judges an item by the rules of a single payout and reserves it (G13f). Throws Refusal. */
function acceptItem(
  app: App,
  { batch, desk, readiness, at }: BulkChunk,
  { item, index }: { item: PayableItem; index: number },
): NewPayout {
  const { merchantId, mode, limitedKey } = batch
  const { amount, channel, phone, name, reference, metadata = null } = item
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
      metadata,
      limitedKey,
      at,
    },
    { readiness, away: railAway },
  )
}

const hasSameDetails = (spent: SpentReference, item: PayableItem) =>
  spent.amount === item.amount && spent.channel === item.channel && spent.recipientPhone === item.phone

const toSpentReference = (payout: NewPayout): SpentReference => ({
  reference: payout.reference as string,
  payoutId: payout.id,
  status: payout.status,
  amount: payout.amount,
  channel: payout.channel,
  recipientPhone: payout.recipientPhone,
  acceptedAt: payout.createdAt,
})
