import assert from 'node:assert/strict'
import test from 'node:test'
import { holdTable } from '../../../helpers/database/cell-server.ts'
import { BULK, leftAlone } from '../../../helpers/database/left-batch.ts'
import { availableOf, payer, sendAll } from '../../../helpers/payments/schedules.ts'
import { eventually } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, clock: service.clock, database: service.database }))

const LEASE_MS = 8000
const items = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, nth) => ({
    amount: 1000,
    phone: '256700000000',
    reference: `${prefix}${nth}`,
  }))
const runBoth = () => Promise.all([service.run('finish-bulks'), other.run('finish-bulks')])

test("two workers finish a dead process's batch once, from its first item without a result", async () => {
  for (let round = 0; round < 3; round += 1) {
    const shop = await payer(service, 10_000_000)
    const key = { 'idempotency-key': 'left' }
    const payouts = items(450)
    const begun = await leftAlone(service, shop, { payouts, key: 'left', done: 200 })
    const replay = () => shop.api.post(BULK, { payouts }, key)
    assert.match((await replay()).body.error, /still in flight/)
    const before = await service.digest()
    await runBoth()
    assert.equal(await service.digest(), before, 'its process may still be alive')
    service.pass(LEASE_MS + 1000)
    await runBoth()
    const { status, headers, body } = await replay()
    assert.deepEqual([status, headers.get('idempotent-replayed')], [200, 'true'])
    const { batch_id, total, accepted, failed, results } = body
    assert.deepEqual(
      { batch_id, total, accepted, failed },
      { batch_id: begun.batch_id, total: 450, accepted: 450, failed: 0 },
    )
    assert.deepEqual(
      results.map(({ index, ok, replayed, reference }: any) => ({ index, ok, replayed, reference })),
      payouts.map(({ reference }, index) => ({ index, ok: true, replayed: true, reference })),
    )
    assert.deepEqual(
      results.slice(0, 200).map(({ id }: any) => id),
      begun.results.map(({ id }: any) => id),
      'what was done stays',
    )
    assert.equal(new Set(results.map(({ id }: any) => id)).size, 450)
    assert.equal(await availableOf(shop.api), 10_000_000 - 450 * 1200)
    const after = await service.digest()
    assert.deepEqual(await runBoth(), [0, 0])
    assert.equal(await service.digest(), after)
  }
})

test('a batch that lacks only its answer gets it, and nothing else happens', async () => {
  const shop = await payer(service, 10_000)
  const payouts = items(3)
  const key = { 'idempotency-key': 'unanswered' }
  const first = await shop.api.post(BULK, { payouts }, key)
  await service.rows('update idempotency_keys set status = null, body = null where merchant_id = $1', [shop.merchantId])
  const before = await service.digest()
  service.pass(LEASE_MS + 1000)
  await runBoth()
  assert.equal(await service.digest(), before)
  const again = await shop.api.post(BULK, { payouts }, key)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const replayed = first.body.results.map((result: any) => ({ ...result, replayed: true }))
  assert.deepEqual(again.body, { ...first.body, results: replayed })
})

test('a reference that an unfinished batch has still to pay is in flight for another batch until that one is finished', async () => {
  const shop = await payer(service, 100_000)
  await leftAlone(service, shop, { payouts: items(6), key: 'earlier', done: 2 })
  const { body } = await shop.api.post(BULK, { payouts: [...items(6), ...items(1, 'own ')] })
  const inFlight = {
    error: 'a payout with this reference is still in flight',
    code: 'reference_in_flight',
    retryable: true,
  }
  for (const { index, ok, replayed, error, code, retryable } of body.results) {
    if (index < 2) assert.deepEqual([ok, replayed], [true, true])
    else if (index < 6) assert.deepEqual({ ok, error, code, retryable }, { ok: false, ...inFlight })
    else assert.deepEqual([ok, replayed], [true, false])
  }
  assert.equal(await availableOf(shop.api), 100_000 - 3 * 1200)
  service.pass(LEASE_MS + 1000)
  await runBoth()
  const again = await shop.api.post(BULK, { payouts: items(6) })
  assert.ok(again.body.results.every((result: any) => result.ok && result.replayed))
  assert.equal(await availableOf(shop.api), 100_000 - 7 * 1200)
})

test('a resumed batch checks its items against the current state of the account', async () => {
  const shop = await payer(service, 100_000)
  const payouts = items(4)
  await leftAlone(service, shop, { payouts, key: 'now', done: 2 })
  await service.set(shop.merchant, { active: false })
  service.pass(LEASE_MS + 1000)
  await runBoth()
  const rows = await service.rows<any>(
    `select item_index, error, code from bulk_items where merchant_id = $1 order by item_index`,
    [shop.merchantId],
  )
  const inactive = { error: 'merchant is not active', code: 'merchant_inactive' }
  assert.deepEqual(rows.slice(2), [
    { item_index: 2, ...inactive },
    { item_index: 3, ...inactive },
  ])
  await sendAll(service)
  assert.equal(await availableOf(shop.api), 100_000 - 2 * 1200)
  const ended = await service.rows('select distinct status from payouts where merchant_id = $1', [shop.merchantId])
  assert.deepEqual(ended, [{ status: 'succeeded' }], 'what was accepted completes')
})

test('a merchant deactivated during its bulk: accepted items complete, the rest is refused', async () => {
  const shop = await payer(service, 10_000_000)
  // Results cannot be written for a moment: the first items are decided and wait for their commit.
  const results = await holdTable(service, 'bulk_items', 'share')
  try {
    const answered = shop.api.post(BULK, { payouts: items(450) })
    await eventually('the first items wait', results.isWanted)
    await service.set(shop.merchant, { active: false })
    await results.letGo()
    const { status, body } = await answered
    assert.deepEqual([status, body.total, body.accepted, body.failed], [200, 450, 200, 250])
    for (const { index, ok, error, code, retryable } of body.results)
      if (index < 200) assert.equal(ok, true)
      else
        assert.deepEqual(
          { ok, error, code, retryable },
          { ok: false, error: 'merchant is not active', code: 'merchant_inactive', retryable: false },
        )
    await sendAll(service)
    assert.equal(await availableOf(shop.api), 10_000_000 - 200 * 1200)
  } finally {
    await results.letGo()
  }
})
