import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BULK_RECORDS, PAYOUT } from '../../helpers/payments/payouts.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { monthNow } from '../../helpers/payments/statements.ts'
import { assertVerified } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { assertRefused } from './refused.ts'

const DAYS_35_MS = 35 * 86_400_000
const AWAY = {
  status: 503,
  code: 'unavailable',
  error: 'service temporarily unavailable - retry with the same Idempotency-Key',
}

const service = opened(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_REFUNDS: '0' } }))
const shop = made(() => payer(service, 100_000))

test('C22: a clock 35 days back, in a month that is closed: 503 and nothing written, and later the same key works', async () => {
  const { body: charge } = await shop.api.charge()
  service.pass(2000)
  await service.run('follow-charges')
  service.pass(DAYS_35_MS)
  const month = monthNow(service)
  service.pass(DAYS_35_MS)
  assert.equal((await shop.api.get(`/v1/statements/${month}`)).status, 200, 'which closes the month')
  service.pass(-DAYS_35_MS)
  const before = await service.digest(...BULK_RECORDS)
  const posts: [string, object][] = [
    ['/v1/payouts', PAYOUT],
    [`/v1/charges/${charge.id}/refund`, {}],
  ]
  for (const [path, body] of posts)
    assertRefused(await shop.api.post(path, body, { 'idempotency-key': `back ${path}` }), AWAY, {
      retryAfter: '1',
    })
  const bulk = { payouts: [{ amount: 1000, phone: '0700000000', reference: 'one' }] }
  const key = { 'idempotency-key': 'back bulk' }
  assertRefused(await shop.api.post('/v1/payouts/bulk', bulk, key), AWAY, { retryAfter: '1' })
  assert.equal(await service.digest(...BULK_RECORDS), before, 'no money moved')
  service.pass(DAYS_35_MS)
  for (const [path, body] of posts)
    assert.ok((await shop.api.post(path, body, { 'idempotency-key': `back ${path}` })).status < 300, path)
  await service.run('finish-bulks')
  const paid = await shop.api.post('/v1/payouts/bulk', bulk, key)
  assert.deepEqual([paid.status, paid.body.accepted], [200, 1])
  await assertVerified(service)
})
