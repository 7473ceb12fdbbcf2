import assert from 'node:assert/strict'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { availableOf, type Payer, payer, sendAll } from '../../../helpers/payments/schedules.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const limited = opened(() =>
  startService({
    clock: stillClock(),
    env: { RATE_LIMIT_PAYOUTS: '30' },
    database: service.database,
  }),
)

const BULK = '/v1/payouts/bulk'
const item = (reference: string, more: object = {}) => ({
  amount: 1000,
  phone: '0700000000',
  reference,
  ...more,
})
const bulk = (api: Payer['api'], payouts: object[], headers = {}) => api.post(BULK, { payouts }, headers)
const sorted = (data: object) => Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))

test('each item is a payout: accepted, sent, ended, announced and shown', async () => {
  const { api } = await payer(service, 100_000)
  const { body } = await bulk(api, [
    item('paid', { name: 'Akello Grace' }),
    item('not found', { phone: '0700000001' }),
    item('locked', { amount: 20_000, phone: '+256 700 000 002' }),
    item('too much', { amount: 90_000 }),
    item('late', { phone: '0700000003' }),
  ])
  const costs = 1200 + 1200 + 20_300 + 1200
  assert.deepEqual([body.total, body.accepted, body.failed], [5, 4, 1])
  assert.equal(await availableOf(api), 100_000 - costs)
  const ids: string[] = body.results.flatMap(({ id }: any) => id ?? [])
  for (const id of ids) assert.equal((await api.get(`/v1/payouts/${id}`)).body.status, 'authorized')
  await sendAll(service)
  const outcomes = ['succeeded', 'recipient_not_found', 'wallet_locked', 'timeout']
  for (const [at, id] of ids.entries()) {
    const { body: ended } = await api.get(`/v1/payouts/${id}`)
    assert.equal(ended.failure_reason ?? ended.status, outcomes[at])
    assert.deepEqual([ended.kind, ended.batch_id], ['bulk', body.batch_id])
    const events = await service.rows<any>('select type, body from events where subject = $1', [id])
    assert.deepEqual(
      events.map(({ type }) => type),
      [at === 0 ? 'payout.succeeded' : 'payout.failed'],
    )
    const { rail_transaction_id, ...shown } = ended
    const data = { ...shown, merchant_reference: ended.reference }
    assert.deepEqual(JSON.parse(events[0].body).data, sorted(data))
    assert.equal(rail_transaction_id !== null, at === 0)
  }
  assert.equal(await availableOf(api), 100_000 - 1200, 'what failed came back with its fee')
  const listed = (await api.get('/v1/payouts')).body.data
  assert.deepEqual(listed.map(({ id }: any) => id).sort(), [...ids].sort(), 'a refused item is no payout')
})

test('the same key and body again return the batch with every item replayed, and move nothing', async () => {
  const { api } = await payer(service, 10_000)
  const key = { 'idempotency-key': 'wages' }
  const payouts = [item('a'), item('a'), item('b', { amount: 0 }), item('c', { amount: 50_000 })]
  const first = await bulk(api, payouts, key)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.deepEqual(
    first.body.results.map((result: any) => result.replayed),
    [false, true, false, false],
  )
  await sendAll(service)
  const before = await service.digest()
  const repeated = {
    ...first.body,
    results: first.body.results.map((result: any) => ({ ...result, replayed: true })),
  }
  for (let time = 0; time < 3; time += 1) {
    const again = await bulk(api, payouts, key)
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
    assert.deepEqual(again.body, repeated)
  }
  const otherOrder = await api.post(BULK, JSON.stringify({ payouts }, null, 2), key)
  assert.deepEqual(otherOrder.body, repeated, 'white space does not make another request')
  assert.equal(await service.digest(), before)
  assert.equal((await service.rows('select 1 from bulk_batches where key = $1', ['wages'])).length, 1)
})

test('the sandbox switch counts the accepted items in their order', async () => {
  const { merchant, api } = await payer(service, 100_000)
  await bulk(api, [item('spent')])
  await service.set(merchant, { failNextPayouts: 3, failNextReason: 'rail_rejected' })
  const { body } = await bulk(api, [
    item('refused', { amount: 0 }),
    item('spent'),
    item('first'),
    item('second', { phone: '0700000002' }),
    item('too much', { amount: 1_000_000 }),
    item('third'),
    item('fourth'),
  ])
  await sendAll(service)
  const reasons = await Promise.all(
    body.results.map(async ({ id }: any) => id && (await api.get(`/v1/payouts/${id}`)).body.failure_reason),
  )
  const fails = 'rail_rejected'
  assert.deepEqual(reasons, [undefined, null, fails, fails, undefined, fails, null])
})

test("calls with one merchant's key in test and in live are separate", async () => {
  const { merchant, api } = await payer(service, 10_000)
  const live = service.client(merchant.keys.live)
  const key = { 'idempotency-key': 'both modes' }
  const [mine, other] = [await bulk(api, [item('r')], key), await bulk(live, [item('r')], key)]
  assert.equal(mine.body.accepted, 1)
  assert.deepEqual(
    [other.status, other.body.results[0].code, other.headers.get('idempotent-replayed')],
    [200, 'insufficient_balance', null],
  )
})

longTest(
  'thirty calls a minute are accepted, whatever became of their items; single payouts are counted separately',
  async () => {
    const { api } = await payer(limited, 200_000)
    const send = () => bulk(api, [item('wage', { amount: 1000 })])
    for (let nth = 0; nth < 30; nth += 1) {
      assert.equal((await api.post(BULK, { payouts: [] })).status, 400, 'a refused call gives its place back')
      assert.equal((await send()).status, 200)
    }
    const single = { amount: 1000, recipient: { phone: '0700000000' } }
    for (let nth = 0; nth < 30; nth += 1) assert.equal((await api.post('/v1/payouts', single)).status, 201)
    const before = await limited.digest()
    const full = await send()
    assert.deepEqual(
      [full.status, full.body.code, full.body.error, full.headers.get('retry-after')],
      [429, 'rate_limited', 'rate limit exceeded - retry in 60 seconds', '60'],
    )
    assert.equal((await api.post('/v1/payouts', single)).status, 429)
    assert.equal(await limited.digest(), before)
    limited.pass(59_999)
    assert.equal((await send()).headers.get('retry-after'), '1')
    limited.pass(1)
    assert.equal((await send()).status, 200)
  },
)
