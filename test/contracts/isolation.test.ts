import assert from 'node:assert/strict'
import test from 'node:test'
import { ENDPOINTS } from '../../src/api.ts'
import { succeed } from '../helpers/following-charges.ts'
import { type Shop, startLiveService } from '../helpers/live-service.ts'
import { openedAndVerified, prepare } from '../helpers/opened.ts'
import type { Client, Reply } from '../helpers/test-service.ts'
import { assertRefused, badRequest, notFound } from './refused.ts'

type Owned = { charge: string; settlement: string; event: string }
type Side = { client: Client; owned: Owned }

// Two merchants who sell the same things to the same people in both modes.
let sides: Record<'ours test' | 'ours live' | 'theirs test' | 'theirs live', Side>
const service = openedAndVerified(() => startLiveService({ env: { LIVE_HOLD_HOURS: '0' } }))
prepare(async () => {
  const [ours, theirs] = [await service.shop(), await service.shop()]
  sides = {
    'ours test': await tradingSide(ours, 'test'),
    'ours live': await tradingSide(ours, 'live'),
    'theirs test': await tradingSide(theirs, 'test'),
    'theirs live': await tradingSide(theirs, 'live'),
  }
})

const SOLD = { reference: 'order-1', customer: { phone: '0700123456', email: 'jane@example.ug' } }
const LISTS = ['/v1/charges', '/v1/settlements', '/v1/webhooks']

async function tradingSide(shop: Shop, mode: 'test' | 'live'): Promise<Side> {
  const client = shop[mode]
  const { body } = await client.charge(SOLD, { 'idempotency-key': 'the same everywhere' })
  assert.equal(body.mode, mode)
  if (mode === 'live') await succeed(service, body.id)
  else {
    service.pass(2000)
    await service.run('follow-charges')
  }
  const newest = async (list: string) => (await client.get(`${list}?limit=1`)).body.data[0].id
  return {
    client,
    owned: {
      charge: body.id,
      settlement: await newest('/v1/settlements'),
      event: await newest('/v1/webhooks'),
    },
  }
}

const flip = (id: string) => id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a')
const own = (of: keyof Owned) => sides['ours test'].owned[of]
/** What is not ours in this mode: every kind of id that must not be told from an absent one. */
const strangers = (of: 'charge' | 'event') => {
  const id = own(of)
  const tag = id.slice(0, 9)
  return {
    absent: flip(id),
    foreign: sides['theirs test'].owned[of],
    'of the other mode': sides['ours live'].owned[of],
    'foreign and of the other mode': sides['theirs live'].owned[of],
    'with our tag and a foreign rest': tag + sides['theirs test'].owned[of].slice(9),
    'with a foreign tag and our rest': sides['theirs test'].owned[of].slice(0, 9) + id.slice(9),
    'too short': id.slice(0, 12),
    'too long': id + 'a'.repeat(20),
    'very long': id + 'a'.repeat(200),
  }
}
const MALFORMED = () => [
  own('event'),
  own('settlement'),
  own('charge').toUpperCase(),
  own('charge').slice(4),
  `${own('charge')}%27`,
  `${own('charge')}%20`,
  `${own('charge')}%00`,
  `${own('charge').slice(0, -1)}%25`,
  '%25',
  '_',
  '0',
  'null',
  'txn_',
  "'%20or%20'1'='1",
  '%D9%A0',
  '..%2f..',
]
const SAME_ID = { 'x-request-id': 'the-same' }
const tellNothing = (reply: Reply) => [
  reply.status,
  reply.text,
  [...reply.headers].filter(([name]) => name !== 'date'),
]

test('a charge that is foreign, of the other mode, absent or malformed is not found, and by no byte told apart', async () => {
  const { client } = sides['ours test']
  const absent = await client.get(`/v1/charges/${flip(own('charge'))}`, SAME_ID)
  assertRefused(absent, notFound('charge not found'))
  for (const [name, id] of [
    ...Object.entries(strangers('charge')),
    ...MALFORMED().map((id) => [id, id] as const),
  ])
    assert.deepEqual(tellNothing(await client.get(`/v1/charges/${id}`, SAME_ID)), tellNothing(absent), name)
  assert.equal((await client.get(`/v1/charges/${own('charge')}`)).status, 200)
})

test('a delivery that is foreign, of the other mode or absent is not found, and is not sent again', async () => {
  const { client } = sides['ours test']
  const resend = (id: string) => client.post(`/v1/webhooks/${id}/resend`, undefined, SAME_ID)
  const before = await service.digest()
  const absent = await resend(flip(own('event')))
  assertRefused(absent, notFound('no webhook delivery with that event id (deliveries are retained 30 days)'))
  for (const [name, id] of Object.entries(strangers('event')))
    assert.deepEqual(tellNothing(await resend(id)), tellNothing(absent), name)
  for (const id of MALFORMED().slice(1))
    assertRefused(await resend(id), badRequest('event id must look like evt_...'))
  assert.equal(await service.digest(), before, 'zero writes')
  assert.equal((await resend(own('event'))).status, 202)
})

test('every list shows the rows of its own merchant and mode and no other', async () => {
  for (const [name, { client, owned }] of Object.entries(sides))
    for (const [list, id] of [
      ['/v1/charges', owned.charge],
      ['/v1/settlements', owned.settlement],
      ['/v1/webhooks', owned.event],
    ]) {
      const { body } = await client.get(`${list}?limit=100`)
      assert.deepEqual(
        body.data.map((row: any) => [row.id, row.mode]),
        [[id, name.split(' ')[1]]],
        `${list} of ${name}`,
      )
    }
})

test('filters find the own row of twins who share reference, phone and email', async () => {
  for (const { client, owned } of Object.values(sides))
    for (const query of [
      'reference=order-1',
      'phone=0700123456',
      'email=JANE@example.ug',
      'status=succeeded',
    ]) {
      const { body } = await client.get(`/v1/charges?${query}`)
      assert.deepEqual(
        body.data.map(({ id }: any) => id),
        [owned.charge],
        query,
      )
    }
})

test('no cursor of another side is a cursor', async () => {
  for (const [name, { client }] of Object.entries(sides))
    for (const [other, { owned }] of Object.entries(sides).filter(([one]) => one !== name))
      for (const [at, id] of [owned.charge, owned.settlement, owned.event].entries())
        assertRefused(
          await client.get(`${LISTS[at]}?starting_after=${id}`),
          badRequest('invalid starting_after cursor'),
          { because: `${other} at ${name}` },
        )
})

test('balances and accounts are those of the key', async () => {
  for (const [name, { client }] of Object.entries(sides)) {
    const mode = name.split(' ')[1]
    const { body: balance } = await client.get('/v1/balance')
    assert.deepEqual([balance.mode, balance.consistent], [mode, true])
    assert.deepEqual(balance.balances, [
      { currency: 'UGX', available: 4800, pending: 0, total: 4800, cached: 4800 },
    ])
    const { body: account } = await client.get('/v1/me')
    assert.deepEqual([account.mode, account.object], [mode, 'account'])
    assert.match(account.public_key, new RegExp(`^pk_${mode}_`))
  }
  const names = await Promise.all(
    Object.values(sides).map(async ({ client }) => (await client.get('/v1/me')).body.name),
  )
  assert.deepEqual([names[0] === names[1], names[1] === names[2]], [true, false])
})

test('both scopes of one mode see the same objects', async () => {
  const { merchant, test: client } = await service.shop()
  const { body } = await client.charge(SOLD)
  const collections = service.client(merchant.keys.test_collections)
  assert.deepEqual((await collections.get(`/v1/charges/${body.id}`)).body, body)
  assert.deepEqual((await collections.get('/v1/charges')).body.data, [body])
})

test('no GET changes anything', async () => {
  const before = await service.digest()
  for (const { method, path } of ENDPOINTS)
    if (method === 'GET') await sides['ours test'].client.get(path.replace(':id', own('charge')))
  assert.equal(await service.digest(), before)
})
