import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import pg from 'pg'
import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { cancelAll, payoutsOf } from '../../helpers/payments/schedule-runs.ts'
import { availableOf, change, type Payer, payer, planned, scheduleOf } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startLiveService({ clock: stillClock(), env: { RATE_LIMIT_SCHEDULES: '0' } }))
afterEach(() => cancelAll(service))

type LivePayer = Payer & { live: Client }
const run = () => service.run('run-schedules')

/** A verified merchant with 49250 of live and 50000 of test money. */
async function livePayer(): Promise<LivePayer> {
  const shop = await payer(service, 50_000)
  await service.set(shop.merchant, { instantSettlement: true })
  const live = service.client(shop.merchant.keys.live)
  const { body } = await live.charge({ amount: 50_000, customer: { phone: newPayer() } })
  await succeed(service, body.id)
  assert.equal(await availableOf(live), 49_250)
  return { ...shop, live }
}

/** While stopped, a due cycle waits unchanged; released three days later, it runs once. */
async function assertWaits(client: Client, stop: { begin(): Promise<unknown>; end(): Promise<unknown> }) {
  const made = await planned(client, { interval: 'daily' })
  await stop.begin()
  const before = await service.digest()
  assert.equal(await run(), 0)
  service.pass(3 * DAY)
  assert.equal(await run(), 0)
  assert.equal(await service.digest(), before, 'zero writes')
  assert.deepEqual(await scheduleOf(client, made.id), made, 'still active and due')
  await stop.end()
  assert.equal(await run(), 1)
  assert.equal(await run(), 0)
  assert.equal((await payoutsOf(service, made.id)).length, 1, 'missed cycles are never multiplied')
  const { next_run_at } = await scheduleOf(client, made.id)
  assert.equal(next_run_at, new Date(Date.parse(made.next_run_at) + 4 * DAY).toISOString())
}

test('a live cycle is queued for its rail, with one reference for each payout', async () => {
  const { live } = await livePayer()
  const made = await planned(live, { recipients: [{ phone: '0700000001' }, { phone: '0700000002' }] })
  assert.equal(await run(), 1)
  assert.equal(await availableOf(live), 49_250 - 2 * 5200)
  const payouts = await payoutsOf(service, made.id)
  for (const { id, status } of payouts) {
    const { body } = await live.get(`/v1/payouts/${id}`)
    const attempts = await service.rows('select id, state from rail_attempts where subject = $1', [id])
    assert.deepEqual([status, body.mode, body.scheduled_payout_id], ['pending', 'live', made.id])
    assert.deepEqual(attempts, [{ id: body.rail_reference, state: 'queued' }])
  }
  assert.equal(payouts.length, 2)
})

test("the platform's freeze holds live cycles back but no test cycle", async () => {
  const shop = await livePayer()
  const test = await planned(shop.api)
  await assertWaits(shop.live, {
    begin: async () => {
      await freezePlatform(service.gateway, BY_HAND, 'review')
      assert.equal(await run(), 1)
      assert.equal((await payoutsOf(service, test.id)).length, 1)
    },
    end: () => freezePlatform(service.gateway, BY_HAND, null),
  })
})

test("an account's freeze holds back its own live cycles and nobody else's", async () => {
  const shop = await livePayer()
  const other = await livePayer()
  await assertWaits(shop.live, {
    begin: async () => {
      await freezeAccount(service.app, BY_HAND, { merchantId: shop.merchantId, reason: 'asked by its bank' })
      const free = await planned(other.live)
      assert.equal(await run(), 1)
      assert.equal((await payoutsOf(service, free.id)).length, 1)
    },
    end: () => freezeAccount(service.app, BY_HAND, { merchantId: shop.merchantId, reason: null }),
  })
})

for (const mode of ['test', 'live'] as const)
  test(`an open critical exception in ${mode} mode holds the cycles of that mode back`, async () => {
    const shop = await livePayer()
    const pause = (exception: string | null) =>
      service.rows('update ledger_heads set payouts_paused_by = $3 where merchant_id = $1 and mode = $2', [
        shop.merchantId,
        mode,
        exception,
      ])
    const otherMode = await planned(mode === 'test' ? shop.live : shop.api)
    await assertWaits(mode === 'test' ? shop.api : shop.live, {
      begin: async () => {
        await pause('exc_1')
        assert.equal(await run(), 1)
        assert.equal((await payoutsOf(service, otherMode.id)).length, 1)
      },
      end: () => pause(null),
    })
  })

test('the cycles of an inactive merchant wait until it is active again', async () => {
  const shop = await livePayer()
  await assertWaits(shop.api, {
    begin: () => service.set(shop.merchant, { active: false }),
    end: () => service.set(shop.merchant, { active: true }),
  })
})

test('a business that is no longer verified has its live schedule paused, and nobody is paid', async () => {
  const shop = await livePayer()
  const made = await planned(shop.live)
  const test = await planned(shop.api)
  await service.set(shop.merchant, { kycStatus: 'rejected' })
  assert.equal(await run(), 2)
  const paused = await scheduleOf(shop.live, made.id)
  assert.deepEqual(paused, { ...made, status: 'paused', failure_reason: 'verification_required' })
  assert.deepEqual(await payoutsOf(service, made.id), [])
  assert.equal(await availableOf(shop.live), 49_250)
  assert.equal((await payoutsOf(service, test.id)).length, 1, 'test mode needs no verification')

  await change(shop.live, made.id, 'resume')
  assert.equal(await run(), 1)
  assert.equal((await scheduleOf(shop.live, made.id)).status, 'paused', 'judged again at each run')
  await service.set(shop.merchant, { kycStatus: 'verified' })
  await change(shop.live, made.id, 'resume')
  assert.equal(await run(), 1)
  assert.equal((await payoutsOf(service, made.id)).length, 1)
})

test('a limit that was lowered since pauses the schedule, with the message that a payout would get', async () => {
  const shop = await livePayer()
  const made = await planned(shop.api)
  await service.set(shop.merchant, { payoutLimit: 4999 })
  assert.equal(await run(), 1)
  const { status, failure_reason } = await scheduleOf(shop.api, made.id)
  assert.deepEqual([status, failure_reason], ['paused', "amount exceeds this account's per-payout limit of 4999"])
  assert.deepEqual(await payoutsOf(service, made.id), [])
})

test('a freeze set while a cycle runs applies before it or after it, never in between', async () => {
  const shop = await livePayer()
  const made = await planned(shop.live)
  const operator = new pg.Client({ connectionString: service.database.url })
  await operator.connect()
  try {
    await operator.query(`begin; update ${service.app.cell}.payout_stops set frozen_for = 'review'`)
    const running = run()
    await somebodyWaits(service)
    await operator.query('commit')
    assert.equal(await running, 0)
    assert.deepEqual(await payoutsOf(service, made.id), [])
    assert.equal((await scheduleOf(shop.live, made.id)).status, 'active')
  } finally {
    await operator.end()
    await freezePlatform(service.gateway, BY_HAND, null)
  }
})
