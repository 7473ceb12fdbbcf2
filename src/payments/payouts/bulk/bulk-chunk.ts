import { inOpenMonth } from '../../../ledger/book.ts'
import { assert } from '../../../platform/assert.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import type { App } from '../../../program/app.ts'
import { lockGuards } from '../desk/lock-desk.ts'
import { checkPayoutReadiness, type PayoutReadiness } from '../payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payout-request.ts'
import { BULK_LEASE_MS, type BulkBatch, lockBatch } from './bulk-batch.ts'
import { addResults } from './bulk-results.ts'
import { openChunk, runItem } from './run-item.ts'

// One transaction holds the merchant's ledger head for this many items: enough to be cheap, few enough that other payments do not wait long.
const ITEMS_PER_CHUNK = 200

/** Runs the items that have no result yet, in ascending index, chunk by chunk. Two runners at once do no harm. */
export async function runChunks(
  app: App,
  { merchantId, id, mode }: Pick<BulkBatch, 'merchantId' | 'id' | 'mode'>,
): Promise<void> {
  const readiness = await checkPayoutReadiness(app, { mode, channel: DEFAULT_PAYOUT_CHANNEL })
  for (let left = true; left; ) {
    left = await inOpenMonth(() => runChunk(app, { merchantId, id, mode, readiness }))
    crashPoint('bulk.chunk-committed')
  }
}

type BatchRun = Pick<BulkBatch, 'merchantId' | 'id' | 'mode'> & { readiness: PayoutReadiness }

/** Runs the next items and stores their results. Returns whether any are left. */
function runChunk(app: App, { merchantId, id, mode, readiness }: BatchRun): Promise<boolean> {
  const at = app.clock.now()
  const merchantModes = [{ merchantId, mode }]
  return app.db.transactionFor({ of: merchantId, begun: true }, async (tx) => {
    const [[batch], terms, stops] = await tx.send(lockBatch(merchantId, id), ...lockGuards(merchantModes))
    assert(batch, 'a batch that is run was stored')
    if (batch.done === batch.total) return { value: false }
    const items = batch.items.slice(batch.done, batch.done + ITEMS_PER_CHUNK)
    const chunk = await openChunk(app, tx, { batch, items, readiness, at, guards: { terms, stops } })
    const results = items.map((item, offset) => runItem(app, chunk, { item, index: batch.done + offset }))
    return {
      value: batch.done + items.length < batch.total,
      last: [...chunk.desk.writes(), ...addResults(batch, results, new Date(at.getTime() + BULK_LEASE_MS))],
    }
  })
}
