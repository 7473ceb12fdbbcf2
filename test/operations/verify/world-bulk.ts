import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../src/api/idempotency/keys.ts'
import {
  addBatch,
  BULK_LEASE_MS,
  type BulkBatch,
  type StoredBulkItem,
} from '../../../src/payments/payouts/bulk/bulk-batch.ts'
import { runChunks } from '../../../src/payments/payouts/bulk/bulk-chunk.ts'
import { finishBatch } from '../../../src/payments/payouts/bulk/bulk-payouts.ts'
import { addMs } from '../../../src/platform/time/clock.ts'
import type { App } from '../../../src/program/app.ts'
import { BATCH } from './names.ts'
import { write } from './world-charges.ts'

type Item = { reference: string; amount?: number }

/** One call with items of every kind, and one that repeats a reference of the first. */
export async function payInBulk(app: App): Promise<void> {
  await payBatch(app, 'first', [
    { reference: 'rent-1', amount: 1000 },
    { reference: 'rent-2', amount: 2000 },
    { reference: 'unreadable' },
    { reference: 'rent-1', amount: 1000 },
    { reference: 'rent-2', amount: 2001 },
  ])
  await payBatch(app, 'again', [
    { reference: 'rent-1', amount: 1000 },
    { reference: 'rent-3', amount: 3000 },
  ])
}

async function payBatch(app: App, name: keyof typeof BATCH, items: readonly Item[]): Promise<void> {
  const batch = await storeBatch(app, name, items)
  await runChunks(app, batch)
  await finishBatch(app, batch)
}

/** The call as it is stored before its first item runs. */
export async function storeBatch(app: App, name: keyof typeof BATCH, items: readonly Item[]): Promise<BulkBatch> {
  const at = app.clock.now()
  const batch: BulkBatch = {
    merchantId: 3,
    id: BATCH[name],
    mode: 'test',
    key: `key-${BATCH[name]}`,
    items: items.map(storedItem),
    total: items.length,
    done: 0,
    accepted: 0,
    createdAt: at,
    limitedKey: null,
  }
  const fingerprint = fingerprintRequest('POST', '/v1/payouts/bulk', { name })
  const key = { merchantId: 3, mode: 'test' as const, key: batch.key, fingerprint }
  const keys = addKeys([{ ...key, answer: null, objectId: batch.id }], at)
  await write(app.db, ...keys, addBatch(batch, addMs(at, BULK_LEASE_MS)))
  return batch
}

function storedItem({ reference, amount }: Item): StoredBulkItem {
  if (amount === undefined) return { reference, error: 'invalid item: amount is required' }
  return { reference, amount, phone: '256700000007', name: null, channel: 'op1_momo' }
}
