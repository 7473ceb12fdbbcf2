import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { cancelAll, payoutsOf, testClockTo } from '../../helpers/payments/schedule-runs.ts'
import { change, payer, planned, scheduleOf, sendAll } from '../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ clock: stillClock(), env: { RATE_LIMIT_SCHEDULES: '0' } }))
// A schedule left due by one test would run in the next.
afterEach(() => cancelAll(service))

const DAY = 86_400_000
const run = () => service.run('run-schedules')
const nowIso = () => service.clock.now().toISOString()

test('missed cycles are made up for by one, then the next is the first date after now', async () => {
  const shop = await payer(service, 500_000)
  const made = await planned(shop.api, { interval: 'daily' })
  const anchor = service.clock.nowMs()
  await testClockTo(service, shop, new Date(anchor + 40 * DAY + 3_600_000))
  assert.equal(await run(), 1)
  assert.equal(await run(), 0)
  assert.equal((await payoutsOf(service, made.id)).length, 1)
  const { next_run_at } = await scheduleOf(shop.api, made.id)
  assert.equal(next_run_at, new Date(anchor + 41 * DAY).toISOString())
})

test('a paused schedule does not run; resumed before its date it keeps that date', async () => {
  const shop = await payer(service, 50_000)
  const start = new Date(service.clock.nowMs() + 2 * DAY).toISOString()
  const made = await planned(shop.api, { start_at: start })
  const { body: paused } = await change(shop.api, made.id, 'pause')
  assert.deepEqual(paused, { ...made, status: 'paused' })
  const { body: resumed } = await change(shop.api, made.id, 'resume')
  assert.deepEqual(resumed, made)
  await change(shop.api, made.id, 'pause')
  await testClockTo(service, shop, new Date(service.clock.nowMs() + 5 * DAY))
  assert.equal(await run(), 0)
  assert.deepEqual(await payoutsOf(service, made.id), [])
})

test('after a cancellation following a cycle, payouts already made go on and no more are made', async () => {
  const shop = await payer(service, 50_000)
  const made = await planned(shop.api, { interval: 'daily' })
  await run()
  const { status, body: cancelled } = await change(shop.api, made.id, 'cancel')
  assert.equal(status, 200)
  assert.deepEqual([cancelled.status, cancelled.next_run_at, cancelled.cancelled_at], ['cancelled', null, nowIso()])
  service.pass(1000)
  assert.deepEqual((await change(shop.api, made.id, 'cancel')).body, cancelled, 'again it changes nothing')
  await testClockTo(service, shop, new Date(service.clock.nowMs() + 3 * DAY))
  assert.equal(await run(), 0)
  await sendAll(service)
  assert.deepEqual(
    (await payoutsOf(service, made.id)).map((row) => row.status),
    ['succeeded'],
  )
})
