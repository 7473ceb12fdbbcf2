import assert from 'node:assert/strict'
import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import type { Payer } from '../payments/schedules.ts'
import { putBack } from '../service/put-back.ts'
import type { TestService } from '../service/test-service.ts'

export const BULK = '/v1/payouts/bulk'
const stored = (item: object) => ({ name: null, channel: 'op1_momo', ...item })

/** Leaves a batch as a process would that died after `done` of these items: the other items wait, and its key is in flight. */
export async function leftAlone(
  service: TestService,
  shop: Payer,
  { payouts, key, done }: { payouts: { amount: number }[]; key: string; done: number },
) {
  const first = await shop.api.post(BULK, { payouts: payouts.slice(0, done) }, { 'idempotency-key': key })
  assert.equal(first.status, 200, first.text)
  await service.rows(
    'update idempotency_keys set status = null, body = null, fingerprint = $3 where merchant_id = $1 and key = $2',
    [shop.merchantId, key, fingerprintRequest('POST', BULK, { payouts })],
  )
  await service.rows(
    `update bulk_batches set items = $3, total = $4, lease_until = (created_at at time zone 'UTC' + interval '8 seconds') at time zone 'UTC', digest = null
     where merchant_id = $1 and key = $2`,
    [shop.merchantId, key, JSON.stringify(payouts.map(stored)), payouts.length],
  )
  // The audit says how many it was stored with, and never changes: here it is as if all had been.
  const amount = payouts.reduce((sum, item) => sum + Number(item.amount), 0)
  await putBack(service, `update audit set after = $2 where action = 'payout.bulk' and subject = $1`, [
    first.body.batch_id,
    { items: payouts.length, amount },
  ])
  return first.body
}
