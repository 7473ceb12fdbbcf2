import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { cancelAll, payoutsOf, testClockTo } from '../../helpers/payments/schedule-runs.ts'
import { availableOf, change, fund, payer, planned, scheduleOf, sendAll } from '../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ clock: stillClock(), env: { RATE_LIMIT_SCHEDULES: '0' } }))
// A schedule left due by one test would run in the next.
afterEach(() => cancelAll(service))

const DAY = 86_400_000
const ANN = { phone: '0700 111 222', name: 'Ann', reference: 'salary-ann' }
const BEN = { phone: '+256700333444' }
const nextYear = () => service.clock.now().getUTCFullYear() + 1
const run = () => service.run('run-schedules')
const nowIso = () => service.clock.now().toISOString()

test('a monthly schedule pays everybody on the last day of short months, month after month', async () => {
  const shop = await payer(service, 100_000)
  const year = nextYear()
  const february = new Date(Date.UTC(year, 2, 0)).getUTCDate()
  const dates = [`${year}-01-31`, `${year}-02-${february}`, `${year}-03-31`, `${year}-04-30`]
  const made = await planned(shop.api, {
    recipients: [ANN, BEN],
    name: 'Staff',
    start_at: `${dates[0]}T09:00:00+03:00`,
  })
  assert.deepEqual(made, {
    id: made.id,
    mode: 'test',
    status: 'active',
    name: 'Staff',
    amount: 5000,
    currency: 'UGX',
    channel: 'op1_momo',
    interval: 'monthly',
    recipients: [
      { phone: '256700111222', name: 'Ann', reference: 'salary-ann' },
      { phone: '256700333444', name: null, reference: null },
    ],
    max_per_recipient: null,
    start_at: `${dates[0]}T06:00:00.000Z`,
    next_run_at: `${dates[0]}T06:00:00.000Z`,
    last_run_at: null,
    failure_reason: null,
    cancelled_at: null,
    created_at: nowIso(),
    metadata: {},
  })
  assert.match(made.id, /^spo_[a-z0-9]{21,}$/)
  assert.equal(await run(), 0, 'nothing is due before its day')
  assert.equal(await availableOf(shop.api), 100_000, 'and nothing is reserved')
  for (const [nth, date] of dates.slice(0, 3).entries()) {
    const due = `${date}T06:00:00.000Z`
    await testClockTo(service, shop, due)
    assert.equal(await run(), 1)
    assert.equal(await run(), 0, 'each cycle runs once')
    const payouts = (await payoutsOf(service, made.id)).slice(nth * 2)
    const compact = date.replaceAll('-', '')
    assert.deepEqual(
      payouts.map((row) => [row.recipient_phone, row.recipient_name, row.reference, row.amount, row.fee]),
      [
        ['256700111222', 'Ann', 'salary-ann', 5000, 200],
        ['256700333444', null, `${made.id}-${compact}-1`, 5000, 200],
      ],
    )
    for (const payout of payouts) {
      assert.equal(payout.cycle_at.toISOString(), due)
      assert.equal(payout.created_at.toISOString(), nowIso(), 'stored times are real')
    }
    const now = await scheduleOf(shop.api, made.id)
    assert.deepEqual(
      { ...now, next_run_at: null, last_run_at: null },
      { ...made, next_run_at: null },
      'nothing else changes',
    )
    assert.deepEqual([now.last_run_at, now.next_run_at], [nowIso(), `${dates[nth + 1]}T06:00:00.000Z`])
    assert.equal(await availableOf(shop.api), 100_000 - (nth + 1) * 10_400)
  }
})

for (const [interval, days] of [
  ['daily', 1],
  ['weekly', 7],
] as const)
  test(`a ${interval} schedule without start_at runs now, then every ${days} day(s) at that hour`, async () => {
    const shop = await payer(service, 50_000)
    const made = await planned(shop.api, { interval })
    const first = service.clock.nowMs()
    const dueAt = (nth: number) => new Date(first + nth * days * DAY).toISOString()
    assert.deepEqual([made.start_at, made.next_run_at], [null, nowIso()])
    for (let nth = 0; nth < 3; nth += 1) {
      await testClockTo(service, shop, dueAt(nth))
      assert.equal(await run(), 1)
      assert.equal((await scheduleOf(shop.api, made.id)).next_run_at, dueAt(nth + 1))
      assert.equal(await run(), 0)
    }
    const cycles = (await payoutsOf(service, made.id)).map((row) => row.cycle_at.toISOString())
    assert.deepEqual(cycles, [dueAt(0), dueAt(1), dueAt(2)])
  })

test('a start in the past is echoed, and the first cycle runs now', async () => {
  const shop = await payer(service, 10_000)
  const made = await planned(shop.api, { start_at: '2020-02-29' })
  assert.deepEqual([made.start_at, made.next_run_at], ['2020-02-29T00:00:00.000Z', nowIso()])
})

test('the payouts of a cycle are pending, are sent at the next tick and end like any other', async () => {
  const shop = await payer(service, 50_000)
  const made = await planned(shop.api, {
    recipients: [{ phone: '0700000000' }, { phone: '0700000001' }, { phone: '0700000000' }],
  })
  await run()
  const [first] = await payoutsOf(service, made.id)
  const { body: pending } = await shop.api.get(`/v1/payouts/${first?.id}`)
  assert.deepEqual(
    [pending.status, pending.kind, pending.scheduled_payout_id, pending.completed_at],
    ['pending', 'scheduled', made.id, null],
  )
  assert.equal(await availableOf(shop.api), 50_000 - 3 * 5200)
  await sendAll(service)
  const ended = await payoutsOf(service, made.id)
  assert.deepEqual(
    ended.map((row) => row.status),
    ['succeeded', 'failed', 'succeeded'],
    'the same phone twice is paid twice',
  )
  assert.equal(await availableOf(shop.api), 50_000 - 2 * 5200, 'the one that failed returns its own money only')
  const { body: failed } = await shop.api.get(`/v1/payouts/${ended[1]?.id}`)
  assert.equal(failed.failure_reason, 'recipient_not_found')
  const schedule = await scheduleOf(shop.api, made.id)
  assert.deepEqual([schedule.status, schedule.failure_reason], ['active', null])
})

test('the sandbox switch makes payouts of a cycle fail, in their order', async () => {
  const shop = await payer(service, 50_000)
  await service.set(shop.merchant, { failNextPayouts: 2, failNextReason: 'wallet_locked' })
  const made = await planned(shop.api, { recipients: [BEN, BEN, BEN] })
  await run()
  await sendAll(service)
  const statuses = (await payoutsOf(service, made.id)).map((row) => row.status)
  assert.deepEqual(statuses, ['failed', 'failed', 'succeeded'])
})

test('a cycle that cannot be funded in full pays nobody and pauses; resumed with money it runs once', async () => {
  const shop = await payer(service, 10_399)
  const made = await planned(shop.api, { interval: 'daily', recipients: [ANN, BEN] })
  const anchor = service.clock.nowMs()
  assert.equal(await run(), 1)
  const reason = 'insufficient balance: have 10399, need 10400 for 2 recipient(s)'
  const paused = await scheduleOf(shop.api, made.id)
  assert.deepEqual([paused.status, paused.failure_reason], ['paused', reason])
  assert.deepEqual([paused.last_run_at, paused.next_run_at], [null, made.next_run_at])
  assert.equal(await availableOf(shop.api), 10_399)
  assert.deepEqual(await payoutsOf(service, made.id), [])
  await fund(service, shop, 1)
  assert.equal(await run(), 0, 'money alone does not resume it')

  service.pass(3 * DAY)
  const { status, body: resumed } = await change(shop.api, made.id, 'resume')
  assert.equal(status, 200)
  assert.deepEqual([resumed.status, resumed.failure_reason], ['active', null])
  assert.equal(resumed.next_run_at, nowIso(), 'the date that passed is now')
  assert.equal(await run(), 1)
  assert.equal((await payoutsOf(service, made.id)).length, 2, 'three days missed are one cycle')
  assert.equal(await availableOf(shop.api), 0)
  const ran = await scheduleOf(shop.api, made.id)
  assert.equal(ran.next_run_at, new Date(anchor + 4 * DAY).toISOString(), 'the anchor stays')
})

test('resumed without money it is paused again, with the figures of that moment', async () => {
  const shop = await payer(service, 100)
  const made = await planned(shop.api)
  await run()
  await fund(service, shop, 1000)
  await change(shop.api, made.id, 'resume')
  assert.equal(await run(), 1)
  assert.equal(
    (await scheduleOf(shop.api, made.id)).failure_reason,
    'insufficient balance: have 1100, need 5200 for 1 recipient(s)',
  )
})

test('money still on hold pays no cycle', async () => {
  const shop = await payer(service)
  await service.set(shop.merchant, { testHold: 'realistic' })
  await shop.api.charge({ amount: 50_000 })
  service.pass(2000)
  await service.run('follow-charges')
  const made = await planned(shop.api)
  await run()
  assert.match((await scheduleOf(shop.api, made.id)).failure_reason, /have 0, need 5200/)
})

test("the test clock of one merchant makes no other merchant's schedule due", async () => {
  const [early, late] = [await payer(service, 50_000), await payer(service, 50_000)]
  const start_at = new Date(service.clock.nowMs() + 10 * DAY).toISOString()
  const made = await planned(early.api, { start_at })
  const other = await planned(late.api, { start_at })
  await testClockTo(service, early, start_at)
  const soon = await planned(early.api, { interval: 'daily' })
  assert.ok(soon.next_run_at >= start_at, 'what begins after the move is due on that clock')
  assert.equal(soon.created_at, nowIso())
  const past = await planned(early.api, { start_at: new Date(service.clock.nowMs() + 5 * DAY).toISOString() })
  assert.ok(past.next_run_at >= start_at, 'a start that has passed on that clock is now')
  assert.equal(await run(), 3)
  assert.equal((await payoutsOf(service, made.id)).length, 1)
  assert.equal((await payoutsOf(service, soon.id)).length, 1)
  assert.equal((await payoutsOf(service, other.id)).length, 0)
})
