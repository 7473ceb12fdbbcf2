import assert from 'node:assert/strict'
import test from 'node:test'
import { ENDPOINTS } from '../../src/api.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { settle } from '../helpers/following-payouts.ts'
import { openedAndVerified, prepare } from '../helpers/opened.ts'
import { pay, payoutDigest, payoutOf, richShop, startPayingService } from '../helpers/payouts.ts'
import { availableOf, fund } from '../helpers/schedules.ts'
import type { Client, Reply } from '../helpers/test-service.ts'
import { assertRefused, badRequest, notFound, type Refused } from './refused.ts'

type Side = { client: Client; payout: string }

const FUNDS = 500_000
// Two merchants who pay the same people the same things in both modes.
let sides: Record<'ours test' | 'ours live' | 'theirs test' | 'theirs live', Side>
let collections: Client[]
const service = openedAndVerified(() => startPayingService())
prepare(async () => {
  const [ours, theirs] = [await richShop(service, FUNDS), await richShop(service, FUNDS)]
  for (const { merchant, test: api } of [ours, theirs]) {
    const { merchant: row } = await findMerchant(service.gateway, merchant.id)
    await fund(service, { merchant, merchantId: row.id, tag: row.tag, api }, FUNDS)
  }
  sides = {
    'ours test': await payingSide(ours.test),
    'ours live': await payingSide(ours.live),
    'theirs test': await payingSide(theirs.test),
    'theirs live': await payingSide(theirs.live),
  }
  const { test_collections, live_collections } = ours.merchant.keys
  collections = [test_collections, live_collections].map((key) => service.client(key))
})

const PAID = { reference: 'salary-1', recipient: { phone: '0700123456', name: 'Jane' } }

async function payingSide(client: Client): Promise<Side> {
  const { status, body } = await pay(client, PAID, { 'idempotency-key': 'the same everywhere' })
  assert.equal(status, 201)
  await settle(service, body.id)
  assert.equal((await payoutOf(client, body.id)).status, 'succeeded')
  return { client, payout: body.id }
}

const flip = (id: string) => id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a')
const SAME_ID = { 'x-request-id': 'the-same' }
const tellNothing = (reply: Reply) => [
  reply.status,
  reply.text,
  [...reply.headers].filter(([name]) => name !== 'date'),
]

test('a payout that is foreign, of the other mode, absent or malformed is not found, and by no byte told apart', async () => {
  const { client, payout: id } = sides['ours test']
  const absent = await client.get(`/v1/payouts/${flip(id)}`, SAME_ID)
  assertRefused(absent, notFound('payout not found'))
  const [event] = (await client.get('/v1/webhooks?limit=1')).body.data
  const foreign = sides['theirs test'].payout
  for (const other of [
    foreign,
    sides['ours live'].payout,
    sides['theirs live'].payout,
    id.slice(0, 10) + foreign.slice(10),
    foreign.slice(0, 10) + id.slice(10),
    id.slice(0, 12),
    id + 'a'.repeat(20),
    id + 'a'.repeat(200),
    event.id,
    id.toUpperCase(),
    id.slice(5),
    id.replace('pout_', 'txn_'),
    `${id}%27`,
    `${id}%20`,
    `${id}%00`,
    '%25',
    'pout_',
    'null',
    '0',
    "'%20or%20'1'='1",
    '..%2f..',
  ])
    assert.deepEqual(
      tellNothing(await client.get(`/v1/payouts/${other}`, SAME_ID)),
      tellNothing(absent),
      other,
    )
  assert.equal((await client.get(`/v1/payouts/${id}`)).status, 200)
})

test('the list and the balance are those of the merchant and the mode of the key', async () => {
  for (const [name, { client, payout }] of Object.entries(sides)) {
    const { body } = await client.get('/v1/payouts?limit=100')
    assert.deepEqual(
      body.data.map((row: any) => [row.id, row.mode]),
      [[payout, name.split(' ')[1]]],
      name,
    )
    assert.deepEqual(body.data, [await payoutOf(client, payout)], 'rows have the fields of the by-id read')
    assert.equal(await availableOf(client), FUNDS - 5200, name)
    const { body: told } = await client.get('/v1/webhooks?event=payout.succeeded')
    assert.equal(told.data.length, 1)
  }
})

test('no cursor of another side is a cursor', async () => {
  for (const [name, { client }] of Object.entries(sides))
    for (const [other, { payout }] of Object.entries(sides).filter(([one]) => one !== name))
      assertRefused(
        await client.get(`/v1/payouts?starting_after=${payout}`),
        badRequest('invalid starting_after cursor'),
        { because: `${other} at ${name}` },
      )
})

const FORBIDDEN: Refused = {
  status: 403,
  code: 'forbidden',
  error: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
}
test('a collections-only key is refused before anything is looked at, on every road of money out', async () => {
  const before = await payoutDigest(service)
  const known = sides['ours test'].payout
  for (const api of collections) {
    for (const path of [
      '/v1/payouts',
      '/v1/payouts?limit=0&limit=1',
      '/v1/payouts?starting_after=none',
      `/v1/payouts/${known}`,
      '/v1/payouts/none',
      '/v1/resolve-account',
      '/v1/resolve-account?phone=0700000000',
      '/v1/resolve-account?phone=none',
    ])
      assertRefused(await api.get(path), FORBIDDEN, { because: path })
    const used = { 'idempotency-key': 'the same everywhere' }
    for (const headers of [{}, used, { 'idempotency-key': undefined }, { 'x-timestamp': undefined }]) {
      assertRefused(await pay(api, PAID, headers), FORBIDDEN)
      assertRefused(await api.post('/v1/payouts', 'no JSON', headers), FORBIDDEN)
    }
  }
  assert.equal(await payoutDigest(service), before, 'zero writes')
  const { client, payout } = sides['ours test']
  assert.equal((await payoutOf(client, payout)).status, 'succeeded')
})

test('a collections-only key takes no place in the window of payouts', async () => {
  const limited = await startPayingService({ database: service.database, env: { RATE_LIMIT_PAYOUTS: '2' } })
  try {
    const shop = await richShop(service)
    const barred = limited.client(shop.merchant.keys.live_collections)
    for (let nth = 0; nth < 4; nth += 1) assert.equal((await pay(barred)).status, 403)
    const api = limited.client(shop.merchant.keys.live)
    assert.deepEqual(
      [(await pay(api)).status, (await pay(api)).status, (await pay(api)).status],
      [201, 201, 429],
    )
  } finally {
    await limited.close()
  }
})

test('no GET changes anything', async () => {
  const { client, payout } = sides['ours test']
  const before = await payoutDigest(service)
  for (const { method, path } of ENDPOINTS)
    if (method === 'GET') await client.get(path.replace(':id', payout))
  assert.equal(await payoutDigest(service), before)
})
