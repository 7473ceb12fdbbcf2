import assert from 'node:assert/strict'
import test from 'node:test'
import { nextRunOf } from '../../../../src/payments/withdrawals/standing-orders/standing-order.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { OWN_NUMBER, orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const service = openedAndVerified(() => startPayingService())

test('an order runs at its hour in Kampala, on its weekday, and never at the same time again', () => {
  const next = (order: Parameters<typeof nextRunOf>[0], after: string) =>
    nextRunOf(order, new Date(after)).toISOString()
  const daily = { rhythm: 'daily', weekday: null, hour: 20 } as const
  assert.equal(next(daily, '2026-03-10T16:59:59Z'), '2026-03-10T17:00:00.000Z')
  assert.equal(next(daily, '2026-03-10T17:00:00Z'), '2026-03-11T17:00:00.000Z')
  // 22:30 UTC is the next day in Kampala.
  assert.equal(next({ ...daily, hour: 0 }, '2026-03-10T22:30:00Z'), '2026-03-11T21:00:00.000Z')
  const monday = { rhythm: 'weekly', weekday: 1, hour: 8 } as const
  assert.equal(next(monday, '2026-03-08T20:00:00Z'), '2026-03-09T05:00:00.000Z')
  assert.equal(next(monday, '2026-03-09T05:00:00Z'), '2026-03-16T05:00:00.000Z')
  assert.equal(next({ ...monday, weekday: 0 }, '2026-03-09T05:00:00Z'), '2026-03-15T05:00:00.000Z')
  const above = { rhythm: 'above', weekday: null, hour: null } as const
  assert.equal(next(above, '2026-03-10T16:59:59Z'), '2026-03-10T17:00:00.000Z')
  assert.equal(next(above, '2026-03-10T17:00:00Z'), '2026-03-10T18:00:00.000Z')
})

test('nothing is sent before staff approve; then all but what is kept back goes to the number, is approved by itself and sent', async () => {
  const shop = await orderingShop(service)
  const { state, dueAt } = await shop.set({ keepBack: 100_000 })
  assert.deepEqual([state, dueAt], ['waiting', null])
  await runAfter(service, 3 * HOUR)
  assert.deepEqual(await shop.runs(), [])
  await shop.approve()
  assert.ok((await runAfter(service, HOUR)) >= 1)
  const [run, ...others] = await shop.runs()
  assert.deepEqual(others, [])
  assert.ok(run)
  assert.deepEqual([run.byItself, run.state, run.phone], [true, 'approved', OWN_NUMBER])
  assert.equal(await shop.available(), 100_000, 'amount and fee went, the rest is kept back')
  await service.run('send-payouts')
  assert.equal(service.rail.submitted.filter(({ publicId }) => publicId === run.id).length, 1)
  const { lastFound, stillSays, dueAt: next } = await shop.find()
  assert.deepEqual([lastFound, stillSays], ['sent', null])
  assert.ok(next && next > service.clock.now())
})

test('a time that was missed runs once, and below the least nothing is sent and the next time is set', async () => {
  const shop = await orderingShop(service, 60_000)
  await shop.set({ rhythm: 'daily', weekday: null, hour: 20, least: 50_000 })
  await shop.approve()
  await runAfter(service, 5 * DAY)
  assert.equal((await shop.runs()).length, 1)
  await runAfter(service, 0)
  await runAfter(service, 2 * DAY)
  const { lastFound, dueAt, stillSays } = await shop.find()
  assert.deepEqual([lastFound, stillSays, (await shop.runs()).length], ['too-little', null, 1])
  assert.ok(dueAt && dueAt > service.clock.now() && dueAt.getTime() - service.clock.now().getTime() <= DAY)
})

test('the merchant lets go only so much a day; the next Kampala day sends the next part', async () => {
  const shop = await orderingShop(service, 500_000)
  await shop.set({ dayLimit: 200_000 })
  await shop.approve()
  for (let hour = 0; hour < 24; hour += 1) await runAfter(service, HOUR)
  const sums = await service.rows<{ sum: number }>(
    'select sum(amount)::bigint as sum from standing_order_runs where merchant_id = $1 group by day order by day',
    [shop.merchantId],
  )
  assert.deepEqual(
    sums.map(({ sum }) => sum),
    [200_000, 200_000],
  )
})

test('what goes above the limit of staff waits for a person, and the order stands still until it is decided', async () => {
  const shop = await orderingShop(service, 500_000)
  await shop.set({})
  await shop.approve(150_000)
  await runAfter(service, HOUR)
  const [run] = await shop.runs()
  assert.deepEqual([run?.byItself, run?.state, run?.status], [false, 'requested', 'pending'])
  await service.run('send-payouts')
  assert.equal(service.rail.submitted.filter(({ publicId }) => publicId === run?.id).length, 0)
  await runAfter(service, HOUR)
  const still = await shop.find()
  assert.equal(still.stillSays, 'the last withdrawal of this order waits for our staff')
  assert.equal((await shop.runs()).length, 1)
})

test('a change, the same or not: only another order waits for staff again', async () => {
  const shop = await orderingShop(service)
  await shop.set({})
  const { revision } = await shop.approve()
  assert.deepEqual([(await shop.set({})).state, (await shop.find()).revision], ['approved', revision])
  const changed = await shop.set({ keepBack: 1000 })
  assert.deepEqual([changed.state, changed.waitsFor, changed.dueAt], ['waiting', 'change', null])
  await runAfter(service, 2 * HOUR)
  assert.deepEqual(await shop.runs(), [])
})
