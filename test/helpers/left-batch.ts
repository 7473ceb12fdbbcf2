import assert from 'node:assert/strict'
import { fingerprintOf } from '../../src/http/fingerprint.ts'
import type { Payer } from './schedules.ts'
import type { TestService } from './test-service.ts'

export const BULK = '/v1/payouts/bulk'
const stored = (item: object) => ({ name: null, channel: 'op1_momo', ...item })

/** Leaves a batch as a process would that died after `done` of these items: the other items wait, and its key is in flight. */
export async function leftAlone(
  service: TestService,
  shop: Payer,
  { payouts, key, done }: { payouts: object[]; key: string; done: number },
) {
  const first = await shop.api.post(BULK, { payouts: payouts.slice(0, done) }, { 'idempotency-key': key })
  assert.equal(first.status, 200, first.text)
  await service.rows(
    'update idempotency_keys set status = null, body = null, fingerprint = $3 where merchant_id = $1 and key = $2',
    [shop.merchantId, key, fingerprintOf('POST', BULK, { payouts })],
  )
  await service.rows(
    `update bulk_batches set items = $3, total = $4, lease_until = created_at + interval '8 seconds'
     where merchant_id = $1 and key = $2`,
    [shop.merchantId, key, JSON.stringify(payouts.map(stored)), payouts.length],
  )
  return first.body
}
