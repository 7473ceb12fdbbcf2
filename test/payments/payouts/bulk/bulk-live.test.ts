import assert from 'node:assert/strict'
import test from 'node:test'
import { movableClock } from '../../../../src/platform/time/clock.ts'
import { BULK_RECORDS } from '../../../helpers/payments/payouts.ts'
import { availableOf, fund, type Payer, payer } from '../../../helpers/payments/schedules.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { payingRail } from '../../../helpers/service/paying-rail.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const clock = movableClock()
const operator = payingRail(clock, { noWallet: '256799999999' })
const service = openedAndVerified(() =>
  startService({
    clock,
    env: { RATE_LIMIT_PAYOUTS: '0' },
    liveRails: { op1_momo: operator },
  }),
)

const BULK = '/v1/payouts/bulk'
const item = (reference: string, phone = '0700000000') => ({ amount: 1000, phone, reference })

/** A merchant with 995,000 of live money. */
async function rich(): Promise<Payer & { live: Payer['api'] }> {
  const shop = await payer(service)
  const live = service.client(shop.merchant.keys.live)
  await service.set(shop.merchant, { instantSettlement: true })
  await live.charge({ amount: 1_000_000, customer: { phone: newPayer() } })
  service.pass(60_000)
  await service.run('follow-charges')
  assert.equal(await availableOf(live), 995_000)
  return { ...shop, live }
}
async function sendLive() {
  service.pass(60_000)
  while ((await service.run('send-payouts')) > 0) service.pass(60_000)
}

test('the items of a live bulk are queued, sent once each and told of', async () => {
  const { live } = await rich()
  const { body } = await live.post(BULK, { payouts: [item('a'), item('b', '0799999999'), item('c')] })
  assert.deepEqual(
    body.results.map(({ ok, status }: any) => [ok, status]),
    Array(3).fill([true, 'pending']),
  )
  assert.equal(await availableOf(live), 995_000 - 3 * 1200)
  const ids: string[] = body.results.map(({ id }: any) => id)
  assert.ok(!operator.asked.some(({ publicId }) => ids.includes(publicId)), 'the call itself asks no operator')
  await sendLive()
  for (const id of ids) assert.equal(operator.asked.filter(({ publicId }) => publicId === id).length, 1)
  const ended = await Promise.all(ids.map(async (id) => (await live.get(`/v1/payouts/${id}`)).body))
  assert.deepEqual(
    ended.map(({ status, failure_reason }) => failure_reason ?? status),
    ['succeeded', 'recipient_not_found', 'succeeded'],
  )
  assert.equal(await availableOf(live), 995_000 - 2 * 1200)
})

test('while the rail is away every item says so, keeps nothing, and may come again with the same reference', async () => {
  const { live } = await rich()
  const key = { 'idempotency-key': 'away' }
  const payouts = [item('paid'), { ...item('zero'), amount: 0 }, item('next')]
  await live.post(BULK, { payouts: [item('paid')] })
  const before = await service.digest(...BULK_RECORDS)
  operator.trouble = { cure: 'wait', why: 'breaker open' }
  const { status, body } = await live.post(BULK, { payouts }, key)
  operator.trouble = null
  assert.equal(status, 200)
  const [paid, zero, next] = body.results
  assert.deepEqual([paid.ok, paid.replayed], [true, true], 'what was accepted before is told all the same')
  assert.equal(zero.code, 'amount_not_positive')
  assert.deepEqual(next, {
    index: 2,
    ok: false,
    error: 'disbursement temporarily unavailable - retry with a new Idempotency-Key and the same reference',
    code: 'rail_unavailable',
    metadata: {},
    reference: 'next',
    replayed: false,
    retryable: true,
  })
  assert.equal(await service.digest(...BULK_RECORDS), before)
  assert.equal((await live.post(BULK, { payouts }, key)).body.results[2].retryable, true, 'the key keeps it')
  const again = (await live.post(BULK, { payouts })).body.results
  assert.deepEqual([again[0].replayed, again[2].ok, again[2].replayed], [true, true, false])
})

test('a rail that only a person can mend refuses each item, and the balance comes before it', async () => {
  const { live } = await rich()
  const before = await service.digest(...BULK_RECORDS)
  operator.trouble = { cure: 'person', why: 'credentials refused' }
  const { body } = await live.post(BULK, { payouts: [item('a'), { ...item('b'), amount: 995_000 }] })
  operator.trouble = null
  const [refused, poor] = body.results
  assert.deepEqual(
    [refused.error, refused.code, refused.retryable],
    ['disbursement rail unavailable: credentials refused', 'rail_unavailable', false],
  )
  assert.equal(poor.code, 'insufficient_balance')
  assert.equal(await service.digest(...BULK_RECORDS), before)
})

test('a reference of test says nothing about live', async () => {
  const shop = await rich()
  await fund(service, shop, 10_000)
  const rehearsed = (await shop.api.post(BULK, { payouts: [item('july')] })).body.results[0]
  const paid = (await shop.live.post(BULK, { payouts: [{ ...item('july'), amount: 2000 }] })).body.results[0]
  assert.deepEqual([rehearsed.replayed, paid.ok, paid.replayed], [false, true, false])
  assert.notEqual(paid.id, rehearsed.id)
})

test('where there is no rail at all each item says that it is not configured', async () => {
  const { disburse, ...collecting } = operator
  assert.ok(disburse)
  const without = await startService({
    clock,
    database: service.database,
    liveRails: { op1_momo: collecting },
  })
  try {
    const { merchant } = await rich()
    const before = await service.digest(...BULK_RECORDS)
    const live = without.client(merchant.keys.live)
    const { body } = await live.post(BULK, { payouts: [item('a')] })
    assert.equal(body.results[0].error, 'disbursement rail unavailable: rail not configured')
    assert.equal(await service.digest(...BULK_RECORDS), before)
  } finally {
    await without.close()
  }
})
