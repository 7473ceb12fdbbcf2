import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import pg from 'pg'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { cancelAll, payoutsOf } from '../../helpers/payments/schedule-runs.ts'
import {
  availableOf,
  change,
  payer,
  plan,
  planned,
  SCHEDULES,
  scheduleOf,
  sendAll,
} from '../../helpers/payments/schedules.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const clock = stillClock()
const env = { RATE_LIMIT_SCHEDULES: '0', RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))
afterEach(() => cancelAll(service))

const run = (at = service) => at.run('run-schedules')
/** Four workers of two processes. */
const runFour = async () => {
  const handled = await Promise.all([run(service), run(other), run(service), run(other)])
  return handled.reduce((sum, one) => sum + one, 0)
}
const people = (count: number) => Array.from({ length: count }, (_, nth) => ({ phone: `070000${1000 + nth}` }))

/** Schedules that are due now; no request has made them, so verify must not find them. */
const plant = (
  { merchantId }: Awaited<ReturnType<typeof payer>>,
  { name, count, status }: { name: string; count: number; status: string },
) =>
  service.rows(
    `insert into schedules (merchant_id, id, mode, status, amount, channel, interval, recipients, anchor_at, next_run_at, created_at)
     select $1, 'spo_' || $3 || n, 'test', $4, 5000, 'op1_momo', 'daily', '[{"phone": "256700000000"}]', $2, $2, $2
     from generate_series(1, $5::int) n`,
    [merchantId, clock.now().toISOString(), name, status, count],
  )
const takeOut = (name: string) => service.rows(`delete from schedules where id ~ ('^spo_' || $1 || '\\d')`, [name])

test('four workers that look at the same time run each cycle once', async () => {
  const shops = await Promise.all(Array.from({ length: 4 }, () => payer(service, 1_000_000)))
  const made: string[] = []
  for (const shop of shops)
    for (let nth = 0; nth < 6; nth += 1)
      made.push((await planned(shop.api, { interval: 'daily', recipients: people(5) })).id)
  for (let day = 0; day < 2; day += 1) {
    assert.equal(await runFour(), made.length)
    for (const id of made) assert.equal((await payoutsOf(service, id)).length, 5 * (day + 1))
    clock.advance(86_400_000)
  }
  for (const { api } of shops) assert.equal(await availableOf(api), 1_000_000 - 2 * 6 * 5 * 5200)
})

test('of two payrolls with money for one, one is paid in full and the other pauses', async () => {
  for (let round = 0; round < 5; round += 1) {
    const shop = await payer(service, 3 * 5200 + 5199)
    const ids = [
      (await planned(shop.api, { recipients: people(3) })).id,
      (await planned(shop.api, { recipients: people(3) })).id,
    ]
    assert.equal(await runFour(), 2)
    const paid = await Promise.all(ids.map(async (id) => (await payoutsOf(service, id)).length))
    assert.deepEqual(paid.sort(), [0, 3])
    const statuses = await Promise.all(ids.map(async (id) => (await scheduleOf(shop.api, id)).status))
    assert.deepEqual(statuses.sort(), ['active', 'paused'])
    assert.equal(await availableOf(shop.api), 5199)
  }
})

test('payouts that compete with a payroll never make it a partial one', async () => {
  for (let round = 0; round < 5; round += 1) {
    const shop = await payer(service, 10 * 5200)
    const { id } = await planned(shop.api, { recipients: people(8) })
    const single = { amount: 5000, recipient: { phone: '0700000000' } }
    const [, ...replies] = await Promise.all([
      runFour(),
      ...Array.from({ length: 6 }, () => shop.api.post('/v1/payouts', single)),
    ])
    const accepted = replies.filter(({ status }) => status === 201).length
    const ofPayroll = (await payoutsOf(service, id)).length
    assert.ok(ofPayroll === 0 || ofPayroll === 8, `${ofPayroll} of 8`)
    assert.equal(await availableOf(shop.api), (10 - accepted - ofPayroll) * 5200)
    const { status } = await scheduleOf(shop.api, id)
    assert.equal(status, ofPayroll === 8 ? 'active' : 'paused')
  }
})

test('a cancellation during a cycle applies before it or after it', async () => {
  const shop = await payer(service, 1_000_000)
  const ids: string[] = []
  for (let nth = 0; nth < 20; nth += 1)
    ids.push((await planned(shop.api, { interval: 'daily', recipients: people(2) })).id)
  await Promise.all([runFour(), ...ids.map((id) => change(shop.api, id, 'cancel'))])
  for (const id of ids) {
    const { status, next_run_at, last_run_at, failure_reason } = await scheduleOf(shop.api, id)
    assert.deepEqual([status, next_run_at, failure_reason], ['cancelled', null, null])
    assert.equal((await payoutsOf(service, id)).length, last_run_at === null ? 0 : 2)
  }
  clock.advance(86_400_000)
  assert.equal(await runFour(), 0)
})

test('ten requests at once for the last two places make two schedules', async () => {
  const shop = await payer(service)
  await plant(shop, { name: 'filler', count: 98, status: 'paused' })
  const here = shop.api
  const there = other.client(shop.merchant.keys.test)
  const replies = await Promise.all(Array.from({ length: 10 }, (_, nth) => plan(nth % 2 === 0 ? here : there)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, ...new Array(8).fill(400)])
  const refused = replies.filter(({ status }) => status === 400)
  for (const { body } of refused) assert.equal(body.code, 'too_many_schedules')
  await takeOut('filler')
})

test('one key sent to two processes at once makes one schedule', async () => {
  const shop = await payer(service)
  const there = other.client(shop.merchant.keys.test)
  const key = { 'idempotency-key': 'raced for' }
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => plan(nth % 2 === 0 ? shop.api : there, {}, key)),
  )
  const { body } = await shop.api.get(SCHEDULES)
  assert.equal(body.data.length, 1)
  for (const reply of replies)
    if (reply.status === 201) assert.equal(reply.body.id, body.data[0].id)
    else assert.equal(reply.body.error, 'a request with this Idempotency-Key is still in flight - retry shortly')
  assert.ok(replies.some(({ status }) => status === 201))
})

test('a schedule that cannot be run stops no other and stays due', async () => {
  const shop = await payer(service, 100_000)
  const ids = []
  for (let nth = 0; nth < 3; nth += 1) ids.push((await planned(shop.api)).id)
  const [first, broken, last] = ids.sort() as [string, string, string]
  // As if a row had been damaged: a recipient without a number.
  const [whole] = await service.rows('select recipients::text as recipients from schedules where id = $1', [broken])
  await service.rows(`update schedules set recipients = '[{"name": "nobody"}]' where id = $1`, [broken])
  assert.equal(await run(), 2)
  for (const id of [first, last]) assert.equal((await payoutsOf(service, id)).length, 1)
  const { status, last_run_at } = await scheduleOf(shop.api, broken)
  assert.deepEqual([status, last_run_at], ['active', null])
  assert.equal(await availableOf(shop.api), 100_000 - 2 * 5200)
  await service.rows('update schedules set recipients = $2::jsonb where id = $1', [broken, whole?.recipients])
})

test('a month that was closed ahead of our clock makes the cycle wait, not fail', async () => {
  const shop = await payer(service, 100_000)
  const { id } = await planned(shop.api)
  const closed = new Date(clock.nowMs() + 1000).toISOString()
  await service.rows('update ledger_heads set closed_until = $2 where merchant_id = $1', [shop.merchantId, closed])
  assert.equal(await run(), 0)
  assert.deepEqual(await payoutsOf(service, id), [])
  clock.advance(1000)
  assert.equal(await run(), 1)
  assert.equal((await payoutsOf(service, id)).length, 1)
})

test('more due schedules than one look takes are all run', async () => {
  const shop = await payer(service)
  await plant(shop, { name: 'many', count: 620, status: 'active' })
  assert.equal(await run(), 620)
  const left = await service.rows(
    "select 1 from schedules where merchant_id = $1 and failure_reason is distinct from 'insufficient balance: have 0, need 5200 for 1 recipient(s)'",
    [shop.merchantId],
  )
  assert.deepEqual(left, [])
  await takeOut('many')
})

test('a thousand people are paid in one commit', async (context) => {
  const shop = await payer(service, 10_000_000)
  const recipients = Array.from({ length: 1000 }, (_, nth) => ({ phone: `0701${100_000 + nth}` }))
  const made = await planned(shop.api, { recipients })
  const started = performance.now()
  assert.equal(await run(), 1)
  context.diagnostic(`the cycle took ${Math.round(performance.now() - started)} ms`)
  const payouts = await payoutsOf(service, made.id)
  assert.deepEqual(
    payouts.map((row) => row.recipient_phone),
    recipients.map(({ phone }) => `256${phone.slice(1)}`),
  )
  assert.equal(await availableOf(shop.api), 10_000_000 - 1000 * 5200)
  await sendAll(service)
  const paid = (await payoutsOf(service, made.id)).filter((row) => row.status === 'succeeded')
  assert.equal(paid.length, 1000)
})

test('M10: if the clock steps back 2 s between look and run, each cycle is paid once and the schedule goes on', async () => {
  const [first, second] = [await payer(service, 100_000), await payer(service, 100_000)]
  await planned(first.api, { interval: 'daily' })
  const { id, next_run_at: dueAt } = await planned(second.api, { interval: 'daily' })
  const holder = new pg.Client({
    connectionString: service.database.url,
    options: `-c search_path=${service.app.cell}`,
  })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select 1 from ledger_heads where merchant_id = $1 for no key update', [first.merchantId])
  const running = run()
  await somebodyWaits(service)
  clock.advance(-2000)
  await holder.query('commit')
  await holder.end()
  assert.equal(await running, 2)
  const next = new Date(new Date(dueAt).getTime() + 86_400_000).toISOString()
  assert.equal(new Date((await scheduleOf(second.api, id)).next_run_at).toISOString(), next)
  clock.advance(2000)
  assert.equal(await run(), 0)
  clock.advance(86_400_000)
  assert.equal(await run(), 2)
  assert.equal((await payoutsOf(service, id)).length, 2)
})
