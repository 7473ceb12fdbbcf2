import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { runStandingOrder } from '../../../../src/payments/withdrawals/standing-orders/run-standing-order.ts'
import { movableClock } from '../../../../src/platform/time/clock.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const clock = movableClock()
const service = openedAndVerified(() => startPayingService({ clock }))
/** The same installation after its operator has raised the minimum of withdrawals. */
const dearer = opened(() =>
  startService({
    clock,
    database: service.database,
    liveRails: { op1_momo: service.rail },
    env: { LIVE_HOLD_HOURS: '0', WITHDRAWAL_MIN: '50000' },
  }),
)
afterEach(() => clock.beWrong(0))

/** The time until six in the morning in Kampala, so that a test of some hours stays within a day. */
const untilMorning = () => (DAY + 3 * HOUR - (clock.nowMs() % DAY)) % DAY

test('an order that was made before the minimum of withdrawals rose sends nothing below it', async () => {
  const shop = await orderingShop(service, 30_000)
  await shop.set({ least: 5000 })
  await shop.approve()
  clock.advance(HOUR)
  await dearer.run('run-standing-orders')
  assert.deepEqual([await shop.amounts(), (await shop.find()).lastFound], [[], 'too-little'])
  await runAfter(service, HOUR)
  assert.equal((await shop.runs()).length, 1, 'with the lower minimum it goes out')
})

test('a clock that steps ahead in the middle of a run opens no other day, and puts nothing off', async () => {
  const shop = await orderingShop(service)
  service.pass(untilMorning())
  const { id } = await shop.set({ dayLimit: 50_000 })
  clock.beWrong(40 * DAY)
  const { dueAt: first } = await shop.approve()
  clock.beWrong(0)
  assert.ok(first && first.getTime() <= clock.nowMs() + HOUR)
  await runAfter(service, HOUR)
  const sent = [[50_000, true]]
  assert.deepEqual(await shop.amounts(), sent)
  service.pass(HOUR)
  const { dueAt } = await shop.find()
  assert.ok(dueAt)
  clock.beWrong(40 * DAY)
  assert.equal(await runStandingOrder(service.app, { merchantId: shop.merchantId, id, dueAt }), 'day-limit')
  clock.beWrong(0)
  const { dueAt: next } = await shop.find()
  assert.ok(next && next.getTime() <= clock.nowMs() + HOUR)
  assert.deepEqual(await shop.amounts(), sent)
  await service.set(shop.merchant, { active: false })
  service.pass(HOUR)
  clock.beWrong(40 * DAY)
  assert.equal(await runStandingOrder(service.app, { merchantId: shop.merchantId, id, dueAt: next }), 'still')
  clock.beWrong(0)
  await service.set(shop.merchant, { active: true })
  clock.beWrong(1800)
  await runAfter(service, DAY)
  assert.equal((await shop.runs()).length, 2, 'it runs again on the next day, also while the clock is nearly right')
  clock.beWrong(0)
  await service.run('send-payouts')
  const [, run] = await shop.runs()
  assert.ok(service.rail.submitted.some(({ publicId }) => publicId === run?.id))
})
