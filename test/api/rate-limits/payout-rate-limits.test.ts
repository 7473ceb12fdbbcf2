import assert from 'node:assert/strict'
import { readConfig } from '../../../src/program/settings/config.ts'
import { pay, payoutDigest, richShop } from '../../helpers/payments/payouts.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { assertRefused, unauthorized } from '../http/refused.ts'
import { stillClock } from './still-clock.ts'

const LIMIT = 30
const MINUTE = 60_000
const clock = stillClock()
// What everybody gets where nothing is set.
const DEFAULTS = readConfig({
  DATABASE_URL: 'postgres://nowhere',
  MASTER_KEY: Buffer.alloc(32).toString('base64'),
})
const env = {
  RATE_LIMIT_PAYOUTS: String(DEFAULTS.ratePayouts),
  RATE_LIMIT_RESOLVE_ACCOUNT: String(DEFAULTS.rateResolveAccount),
}
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))

const newPayerOf = (): Promise<Payer> => payer(service, 1_000_000)
const newApi = async (): Promise<Client> => (await newPayerOf()).api

function assertTooMany(reply: Reply, seconds: number, because = ''): void {
  const error = `rate limit exceeded - retry in ${seconds} seconds`
  assertRefused(reply, { status: 429, code: 'rate_limited', error }, { retryAfter: String(seconds), because })
}
async function times(count: number, send: () => Promise<Reply>, status: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    const reply = await send()
    assert.equal(reply.status, status, `the ${nth + 1}th: ${reply.text}`)
  }
}

test('thirty payouts pass in any 60 s, to the millisecond, and the next is told how long to wait', async () => {
  const api = await newApi()
  for (let nth = 0; nth < LIMIT; nth += 1) {
    assert.equal((await pay(api)).status, 201)
    clock.advance(1000)
  }
  const before = await payoutDigest(service)
  const key = { 'idempotency-key': 'one too many' }
  assertTooMany(await pay(api, {}, key), 30)
  assert.equal(await payoutDigest(service), before, 'zero writes')
  clock.advance(29_999)
  assertTooMany(await pay(api, {}, key), 1, 'the first is 59.999 s old')
  clock.advance(1)
  const next = await pay(api, {}, key)
  assert.deepEqual([next.status, next.headers.get('idempotent-replayed')], [201, null], 'its key was free')
  assertTooMany(await pay(api), 1, 'only one place came free')
})

test('what is refused gives its place back: faults of form, rules, reused keys, replayed refusals', async () => {
  const api = await newApi()
  const used = { 'idempotency-key': 'used' }
  const wrong = { 'idempotency-key': 'wrong' }
  assert.equal((await pay(api, {}, used)).status, 201)
  await times(LIMIT - 2, () => pay(api), 201)
  await times(3, () => pay(api, { amount: 0 }), 400)
  await times(3, () => pay(api, { amount: 900_000_000 }), 400)
  await times(3, () => pay(api, { amount: 0 }, wrong), 400)
  await times(3, () => pay(api, { amount: 'x' }), 400)
  await times(3, () => pay(api, {}, { 'idempotency-key': undefined }), 400)
  await times(3, () => pay(api, { amount: 6000 }, used), 409)
  await times(1, () => pay(api), 201)
  assertTooMany(await pay(api), 60)
})

test('a replay of a payout takes a place like everything else', async () => {
  const api = await newApi()
  const key = { 'idempotency-key': 'mine' }
  await times(LIMIT, () => pay(api, {}, key), 201)
  assertTooMany(await pay(api, {}, key), 60)
})

test('a full window speaks before the timestamp, the key and the body, but after the bearer', async () => {
  const api = await newApi()
  await Promise.all(Array.from({ length: LIMIT }, () => pay(api)))
  assertTooMany(await pay(api, {}, { 'x-timestamp': undefined }), 60)
  assertTooMany(await pay(api, {}, { 'idempotency-key': undefined }), 60)
  assertTooMany(await api.post('/v1/payouts', 'no JSON'), 60)
  assertRefused(await pay(api, {}, { authorization: undefined }), unauthorized('missing bearer token'))
  assert.equal((await api.charge()).status, 201, 'charges have a window of their own')
  assert.equal((await api.get('/v1/payouts')).status, 200)
  const bulk = { items: [{ amount: 1000, phone: '0700000000' }] }
  assert.equal((await api.post('/v1/payouts/bulk', bulk)).status, 200, 'bulk has its own counter')
})

longTest('of sixty at once over two services exactly thirty pass, minute after minute', async () => {
  const { merchant } = await newPayerOf()
  const clients = [service, other].map((testService) => testService.client(merchant.keys.test)) as [Client, Client]
  for (let minute = 0; minute < 3; minute += 1) {
    const replies = await Promise.all(Array.from({ length: 2 * LIMIT }, (_, nth) => pay(clients[nth % 2] as Client)))
    assert.equal(replies.filter(({ status }) => status === 201).length, LIMIT, `minute ${minute}`)
    for (const reply of replies.filter(({ status }) => status !== 201)) assertTooMany(reply, 60)
    clock.advance(MINUTE)
  }
})

test('each merchant and each mode has a window of its own', async () => {
  const [a, b] = [await newPayerOf(), await newPayerOf()]
  await Promise.all(Array.from({ length: LIMIT }, () => pay(a.api)))
  assertTooMany(await pay(a.api), 60)
  assert.equal((await pay(service.client(a.merchant.keys.live))).status, 400, 'it came as far as the rules')
  assert.equal((await pay(b.api)).status, 201)
})

test('thirty questions about wallets pass in a minute; what was no question gives its place back', async () => {
  const api = await newApi()
  const ask = (query = '?phone=0700000000') => api.get(`/v1/resolve-account${query}`)
  await times(LIMIT - 1, ask, 200)
  await times(5, () => ask(''), 400)
  await times(5, () => ask('?phone=07'), 400)
  await times(1, ask, 200)
  assert.equal((await ask()).status, 429)
  assert.equal((await api.get('/v1/payouts')).status, 200, 'other reads have a window of their own')
  clock.advance(MINUTE + 1000)
  await times(1, ask, 200)
})

test('a live payout that the operator will not serve gives its place back with its 400', async () => {
  const live = await startLiveService({ clock, env: { RATE_LIMIT_PAYOUTS: '2', LIVE_HOLD_HOURS: '0' } })
  try {
    const { live: api } = await richShop(live)
    const barred = newPayer()
    live.operator.onSubmit({ answer: 'bar the account' }, barred)
    await times(3, () => pay(api, { recipient: { phone: barred } }), 400)
    await times(2, () => pay(api, { recipient: { phone: newPayer() } }), 201)
    assertTooMany(await pay(api), 60)
  } finally {
    await live.close()
  }
})

test('a collections-only key takes no place in the window of payouts', async () => {
  const { merchant, api } = await newPayerOf()
  const barred = service.client(merchant.keys.test_collections)
  await times(LIMIT + 2, () => pay(barred), 403)
  await times(LIMIT, () => pay(api), 201)
  assert.equal((await pay(api)).status, 429)
})
