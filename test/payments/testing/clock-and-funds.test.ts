import assert from 'node:assert/strict'
import test from 'node:test'
import { FORBIDDEN, TEST_KEY_REQUIRED } from '../../api/http/known-refusals.ts'
import { assertRefused, badRequest, invalid, type Refused } from '../../api/http/refused.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { planned } from '../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const other = made(() => service.merchant())
const api = made(async () => service.client(shop.keys.test))
const DAY_S = 86_400
const MOST_S = 10 * 366 * DAY_S
const CALLS = [
  ['/v1/test/clock', { advance_seconds: DAY_S }],
  ['/v1/test/funds', { amount: 100_000 }],
] as const

const move = (body: object, by: Client = api) => by.post('/v1/test/clock', body)
const offsetOf = async (merchant: { id: string }) => {
  const [row] = await service.rows<{ ms: string }>(
    'select test_clock_offset_ms as ms from merchants where public_id = $1',
    [merchant.id],
  )
  return Number(row?.ms)
}
const auditOf = (action: string) =>
  service.rows<{ actor: string; after: object }>('select actor, after from audit where action = $1 order by id', [
    action,
  ])

test('the test clock goes forward by seconds or to a time, says what it shows, and another merchant keeps its own', async () => {
  const first = await move({ advance_seconds: DAY_S })
  const { test_time: shown, ...said } = first.body
  assert.deepEqual([first.status, said], [201, { object: 'test_clock', ahead_seconds: DAY_S }])
  const real = service.clock.nowMs()
  const laterMs = real + DAY_S * 1000 - Date.parse(shown)
  assert.ok(laterMs >= 0 && laterMs < 60_000, shown)
  const to = new Date(real + 3 * DAY_S * 1000).toISOString()
  const second = await move({ to })
  assert.deepEqual([second.status, second.body.test_time], [201, to])
  const offsetMs = await offsetOf(shop)
  assert.ok(offsetMs > 2.9 * DAY_S * 1000 && offsetMs <= 3 * DAY_S * 1000)
  assert.equal(await offsetOf(other), 0)
  const acts = await auditOf('sandbox.clock')
  assert.deepEqual(acts.at(-1)?.after, { offset_ms: offsetMs })
  assert.match(acts.at(-1)?.actor ?? '', /^test full key \.\.\./)
})

test('what is due on the moved clock follows: holds end, and cycles of schedules are paid', async () => {
  const merchant = await service.merchant()
  const own = service.client(merchant.keys.test)
  await service.set(merchant, { testHold: 'realistic' })
  await own.charge()
  service.pass(2000)
  await service.run('follow-charges')
  assert.deepEqual(await balanceOf(own), { available: 0, pending: 4800 })
  assert.equal((await move({ advance_seconds: DAY_S }, own)).status, 201)
  assert.deepEqual(await balanceOf(own), { available: 4800, pending: 0 })
  await own.post('/v1/test/funds', { amount: 100_000 })
  const schedule = await planned(own, { start_at: new Date(service.clock.nowMs() + 3 * DAY_S * 1000).toISOString() })
  await service.run('run-schedules')
  const payouts = async () => (await own.get(`/v1/payouts?schedule=${schedule.id}`)).body.data.length
  assert.equal(await payouts(), 0)
  await move({ advance_seconds: 3 * DAY_S }, own)
  await service.run('run-schedules')
  assert.equal(await payouts(), 1)
})

test('the clock never goes back, nor more than ten years ahead', async () => {
  const merchant = await service.merchant()
  const own = service.client(merchant.keys.test)
  const far = badRequest('the test clock may be ten years ahead of the real time at most')
  const outside = badRequest(`advance_seconds must be a whole number from 1 to ${MOST_S}`)
  const cases: [object, Refused][] = [
    [{ to: '2099-01-01T00:00:00Z' }, far],
    [{}, invalid('give advance_seconds or to, one of them')],
    [{ advance_seconds: 1, to: '2099-01-01T00:00:00Z' }, invalid('give advance_seconds or to, one of them')],
    [{ advance_seconds: 0 }, outside],
    [{ advance_seconds: -1 }, outside],
    [{ advance_seconds: MOST_S + 1 }, outside],
    [{ advance_seconds: 1.5 }, invalid('advance_seconds must be an integer')],
    [{ to: 'tomorrow' }, invalid('to must be an ISO 8601 time with its offset, such as 2026-12-01T00:00:00Z')],
  ]
  for (const [body, refused] of cases) assertRefused(await move(body, own), refused, { because: JSON.stringify(body) })
  for (const to of [service.clock.now().toISOString(), '2020-01-01T00:00:00Z']) {
    const { status, body } = await move({ to }, own)
    assert.deepEqual([status, body.code, body.field], [400, 'bad_request', 'to'])
    assert.match(body.error, /^the test clock only moves forward: it shows 20\d\d-.*Z now$/)
  }
  assert.equal(await offsetOf(merchant), 0)
  assert.equal((await move({ advance_seconds: MOST_S }, own)).status, 201)
  assertRefused(await move({ advance_seconds: 1 }, own), far)
  assert.equal(await offsetOf(merchant), MOST_S * 1000)
})

test('test funds are there at once, in one balance, with the line of the statement named', async () => {
  const { body: before } = await api.get('/v1/balance')
  const had = before.balances[0].available
  const reply = await api.post('/v1/test/funds', { amount: 100_000 })
  const { id, ...said } = reply.body
  assert.deepEqual(
    [reply.status, said],
    [201, { object: 'test_funds', amount: 100_000, currency: 'UGX', available: had + 100_000 }],
  )
  assert.match(id, /^fund_/)
  assert.equal((await balanceOf(api)).available, had + 100_000)
  assert.deepEqual(await balanceOf(service.client(other.keys.test)), { available: 0, pending: 0 })
  const [line] = await service.rows<{ kind: string }>('select kind from transfers where subject = $1', [id])
  assert.equal(line?.kind, 'test_funds')
  assert.deepEqual((await auditOf('funds.add')).at(-1)?.after, { amount: 100_000 })
  for (const amount of [0, -1, 100_000_001])
    assertRefused(
      await api.post('/v1/test/funds', { amount }),
      badRequest('amount must be a whole number from 1 to 100000000'),
    )
  for (const amount of [1.5, undefined])
    assertRefused(await api.post('/v1/test/funds', { amount }), invalid('amount must be an integer'))
})

test('a key sent again moves the clock and adds the money once', async () => {
  for (const [path, body] of CALLS) {
    const keyed = { 'idempotency-key': `once ${path}` }
    const before = [await offsetOf(shop), (await balanceOf(api)).available]
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.post(path, body, keyed)))
    const again = await api.post(path, body, keyed)
    assert.equal(again.headers.get('idempotency-status'), 'replayed')
    assert.equal(replies.filter(({ headers }) => headers.get('idempotency-status') === 'new').length, 1)
    const after = [await offsetOf(shop), (await balanceOf(api)).available]
    const moved = after.map((value, index) => value - (before[index] ?? 0))
    assert.deepEqual(moved, path === '/v1/test/clock' ? [DAY_S * 1000, 0] : [0, 100_000])
  }
})

test('live keys and collections keys are refused before the body is looked at', async () => {
  const before = await service.digest()
  for (const path of [...CALLS.map(([path]) => path), '/v1/test/next', '/v1/test/events']) {
    const refused = await service.client(shop.keys.live).post(path, '{')
    assertRefused(refused, TEST_KEY_REQUIRED)
    for (const key of [shop.keys.test_collections, shop.keys.live_collections])
      assertRefused(await service.client(key).post(path, '{'), FORBIDDEN)
  }
  assert.equal(await service.digest(), before)
})
