import type { App } from '../../app.ts'
import { type Book, inOpenMonth, lockHeads, openBook } from '../../ledger/book.ts'
import { type MerchantTerms, termsForPayout } from '../../merchants/merchant.ts'
import { lockStops } from '../../merchants/payout-freeze.ts'
import { assert } from '../../platform/assert.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type NewPayout, newPayout } from '../new-payout.ts'
import { type PayoutReadiness, payoutReadiness } from '../payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payout-request.ts'
import { disbursementRefused, insufficientBalance, judgePayout } from '../payout-rules.ts'
import { stopOf } from '../payout-stops.ts'
import { costOf, reservePayout } from '../reserve-payout.ts'
import { openSwitches, type Switches } from '../sandbox-switch.ts'
import { addPayouts } from '../write-payouts.ts'
import {
  addResults,
  BULK_LEASE_MS,
  type BulkBatch,
  type ItemResult,
  lockBatch,
  type SpentReference,
  type StoredItem,
  spentReferences,
  waitingReferences,
} from './bulk-batch.ts'

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
const RAIL_AWAY = {
  error: 'disbursement temporarily unavailable - retry with a new Idempotency-Key and the same reference',
  code: 'rail_unavailable',
  retryable: true,
}

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

type Place = { merchantId: number; id: string; mode: 'test' | 'live'; readiness: PayoutReadiness }

/** What the chunk decides on. `spent` and `waiting` were read after the head was locked, so no other batch can add to them. */
type Known = {
  batch: BulkBatch
  terms: MerchantTerms
  book: Book
  frozenFor: string | null
  switches: Switches
  spent: Map<string, SpentReference>
  waiting: Set<string>
  readiness: PayoutReadiness
  at: Date
}

/** Runs the next items and stores their results. Answers whether any are left. */
function runChunk(app: App, { merchantId, id, mode, readiness }: Place): Promise<boolean> {
  const at = app.clock.now()
  return app.db.transactionFor({ of: merchantId, begun: true }, async (tx) => {
    const [[batch], [terms], [stops]] = await tx.send(
      lockBatch(merchantId, id),
      termsForPayout([{ merchantId, mode }]),
      lockStops(),
    )
    assert(batch && terms, 'a stored batch has a merchant')
    if (batch.done === batch.total) return { value: false }
    const items = batch.items.slice(batch.done, batch.done + CHUNK)
    const [heads, spent, waiting] = await tx.send(
      lockHeads([{ merchantId, mode: batch.mode }]),
      spentReferences(
        batch,
        items.map((item) => item.reference),
      ),
      waitingReferences(batch),
    )
    const known: Known = {
      batch,
      terms,
      book: openBook(heads, at),
      frozenFor: stops?.frozenFor ?? null,
      switches: await openSwitches(tx, batch.mode === 'test' ? [terms] : []),
      spent: new Map(spent.map((one) => [one.reference, one])),
      waiting: new Set(waiting.map((one) => one.reference)),
      readiness,
      at,
    }
    const payouts: NewPayout[] = []
    const results = items.map((item, offset) =>
      runItem(app, { item, index: batch.done + offset, payouts }, known),
    )
    return {
      value: batch.done + items.length < batch.total,
      last: [
        ...known.book.writes(),
        ...known.switches.writes(),
        ...addPayouts(payouts),
        ...addResults(batch, results, new Date(at.getTime() + BULK_LEASE_MS)),
      ],
    }
  })
}

type Turn = { item: StoredItem; index: number; payouts: NewPayout[] }

function runItem(app: App, { item, index, payouts }: Turn, known: Known): ItemResult {
  const at = { index, reference: item.reference }
  if ('error' in item) return { ...at, error: item.error, code: 'invalid_item', retryable: false }
  const spent = known.spent.get(item.reference)
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
  if (known.waiting.has(item.reference)) return { ...at, ...IN_FLIGHT }
  try {
    const payout = acceptItem(app, { item, index }, known)
    if (payout === null) return { ...at, ...RAIL_AWAY }
    payouts.push(payout)
    known.spent.set(item.reference, spentBy(payout))
    return { ...at, payoutId: payout.id, status: payout.status, replayed: false, firstAcceptedAt: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...at, error: error.message, code: error.code, retryable: false }
  }
}

type Readable = Extract<StoredItem, { amount: number }>

/** The rules of a single payout, item by item (G13f); null when the rail cannot be reached at the moment. */
function acceptItem(
  app: App,
  { item, index }: { item: Readable; index: number },
  known: Known,
): NewPayout | null {
  const { batch, terms, book, readiness } = known
  const { merchantId, mode } = batch
  judgePayout(
    { amount: item.amount, currency: 'UGX', channel: item.channel },
    { terms, mode, config: app.config },
  )
  const head = book.head(merchantId, mode)
  const stop = stopOf({ mode, frozenFor: known.frozenFor, head })
  if (stop !== null) throw stop
  const payout = newPayout(
    app,
    { merchantId, tag: terms.tag, mode },
    {
      origin: { kind: 'bulk', batchId: batch.id, itemIndex: index },
      amount: item.amount,
      channel: item.channel,
      phone: item.phone,
      name: item.name,
      reference: item.reference,
      at: known.at,
    },
  )
  if (head.available < costOf(payout)) throw insufficientBalance(head.available, payout)
  if (readiness.kind === 'unavailable') {
    if (readiness.cure === 'wait') return null
    throw disbursementRefused(readiness.why)
  }
  if (mode === 'test') payout.sandboxOutcome = known.switches.take(merchantId)
  reservePayout(book, payout)
  return payout
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
