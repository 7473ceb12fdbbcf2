import assert from 'node:assert/strict'
import test from 'node:test'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { newPayer } from '../helpers/live-service.ts'
import { made, openedAndVerified, prepare } from '../helpers/opened.ts'
import { PAYOUT, pay, payoutDigest, payoutOf, richShop, startPayingService } from '../helpers/payouts.ts'
import { fund, payer, sendAll } from '../helpers/schedules.ts'
import type { Client } from '../helpers/test-service.ts'
import { assertRefused, insufficient, KEY_REUSED } from './refused.ts'

let api: Client
const service = openedAndVerified(() => startPayingService())
const shop = made(() => payer(service, 10_000_000))
prepare(async () => {
  api = shop.api
})

const DAY = 86_400_000
const replayed = (reply: { headers: Headers }) => reply.headers.get('idempotent-replayed')
const keyed = (key: string) => ({ 'idempotency-key': key })
const payoutsOf = async (client: Client) => (await client.get('/v1/payouts?limit=100')).body.data

test('a replay has the stored status and bytes, a request id of its own, and is no second payout', async () => {
  const { api: own } = await payer(service, 50_000)
  const first = await pay(own, { reference: 'r' }, keyed('a'))
  assert.deepEqual([first.status, replayed(first)], [201, null])
  await sendAll(service)
  assert.equal((await payoutOf(own, first.body.id)).status, 'succeeded')
  const before = await payoutDigest(service)
  const again = await pay(own, { reference: 'r' }, { ...keyed('a'), 'x-request-id': 'mine' })
  assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  assert.equal(again.headers.get('x-request-id'), 'mine')
  assert.equal(await payoutDigest(service), before, 'zero writes')
  assert.equal((await payoutsOf(own)).length, 1)
})

test('a live replay shows the first answer for ever, whatever the operator did since', async () => {
  const { live } = await richShop(service)
  for (const outcome of ['pays', 'refuses'] as const) {
    const order = { recipient: { phone: newPayer() } }
    const first = await pay(live, order, keyed(outcome))
    assert.equal(first.body.status, 'authorized')
    service.operator[outcome](first.body.id)
    service.pass(6000)
    await service.run('send-payouts')
    assert.notEqual((await payoutOf(live, first.body.id)).status, 'authorized')
    const again = await pay(live, order, keyed(outcome))
    assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  }
})

const SAME: [string, string][] = [
  ['in another order', '{"recipient":{"phone":"0700000000"},"amount":5000}'],
  ['with white space', JSON.stringify(PAYOUT, null, 4)],
  ['with an exponent', JSON.stringify(PAYOUT).replace('5000', '5e3')],
  ['with a point', JSON.stringify(PAYOUT).replace('5000', '5000.0')],
]
for (const [name, body] of SAME)
  test(`a body ${name} is the same request`, async () => {
    const first = await pay(api, {}, keyed(name))
    const again = await api.post('/v1/payouts', body, keyed(name))
    assert.deepEqual([again.text, replayed(again)], [first.text, 'true'])
  })

const OTHER: [string, unknown][] = [
  ['another amount', { ...PAYOUT, amount: 5001 }],
  ['another form of the same phone', { ...PAYOUT, recipient: { phone: '+256700000000' } }],
  ['a name more', { ...PAYOUT, recipient: { phone: '0700000000', name: 'Jane' } }],
  ['a reference more', { ...PAYOUT, reference: 'r' }],
  ['the default in words', { ...PAYOUT, currency: 'UGX' }],
  ['an unknown field more', { ...PAYOUT, note: 1 }],
  ['a fault of form', { ...PAYOUT, amount: 'x' }],
  ['nothing', undefined],
  ['words that are no JSON', 'amount=5000'],
]
for (const [name, body] of OTHER)
  test(`${name} is another request: 409, and the first answer stays`, async () => {
    const key = keyed(`other: ${name}`)
    const first = await pay(api, {}, key)
    const before = await payoutDigest(service)
    assertRefused(await api.post('/v1/payouts', body, key), KEY_REUSED)
    assert.equal(await payoutDigest(service), before, 'zero writes')
    assert.equal((await pay(api, {}, key)).text, first.text)
  })

test('a key belongs to one merchant and one mode', async () => {
  const a = await richShop(service)
  const b = await payer(service, 50_000)
  const { merchant: row } = await findMerchant(service.gateway, a.merchant.id)
  const holder = { merchant: a.merchant, merchantId: row.id, tag: row.tag, api: a.test }
  await fund(service, holder, 50_000)
  const key = keyed('everywhere')
  const first = await pay(a.test, {}, key)
  const foreign = await pay(b.api, { amount: 6000 }, key)
  assert.deepEqual([foreign.status, foreign.body.amount, replayed(foreign)], [201, 6000, null])
  const live = await pay(a.live, {}, key)
  assert.deepEqual([live.status, live.body.mode, replayed(live)], [201, 'live', null])
  assert.equal((await pay(a.test, {}, key)).text, first.text)
  const collections = service.client(a.merchant.keys.test_collections)
  const refused = await pay(collections, {}, key)
  assert.deepEqual([refused.status, replayed(refused)], [403, null], 'the scope comes before any replay')
})

test('a key used elsewhere is used up: charges, payouts and bulk know of each other', async () => {
  const bulk = { payouts: [{ amount: 1000, phone: '0700000000', reference: 'elsewhere' }] }
  const roads: Record<string, (key: string) => Promise<any>> = {
    charge: (key) => api.charge({}, keyed(key)),
    payout: (key) => pay(api, {}, keyed(key)),
    bulk: (key) => api.post('/v1/payouts/bulk', bulk, keyed(key)),
  }
  for (const [first, use] of Object.entries(roads)) {
    const { status, text } = await use(first)
    assert.ok(status < 300, text)
    const before = await payoutDigest(service)
    for (const [second, reuse] of Object.entries(roads))
      if (second !== first)
        assertRefused(await reuse(first), KEY_REUSED, { because: `${second} after ${first}` })
    assert.equal(await payoutDigest(service), before, 'zero writes')
  }
})

test('a refusal for want of money is kept: the same key is refused when there is some, a new one pays', async () => {
  const own = await payer(service)
  const expected = insufficient(0, [5000, 200])
  const first = await pay(own.api, {}, keyed('poor'))
  assertRefused(first, expected)
  await fund(service, own, 5200)
  const again = await pay(own.api, {}, keyed('poor'))
  assert.deepEqual([again.status, again.text, replayed(again)], [400, first.text, 'true'])
  assert.equal((await pay(own.api)).status, 201)
})

test('a key replays for 30 days less a minute, and is new when they are over and swept', async () => {
  const own = await payer(service, 50_000)
  const first = await pay(own.api, {}, keyed('monthly'))
  service.pass(30 * DAY - 60_000)
  await service.run('prune')
  const again = await pay(own.api, {}, keyed('monthly'))
  assert.deepEqual([again.text, replayed(again)], [first.text, 'true'])
  service.pass(61_000)
  assert.ok((await service.run('prune')) >= 1)
  const anew = await pay(own.api, { amount: 6000 }, keyed('monthly'))
  assert.deepEqual([anew.status, replayed(anew)], [201, null])
})
