import assert from 'node:assert/strict'
import test from 'node:test'
import { opened, prepare } from '../helpers/opened.ts'
import { addSubaccounts } from '../helpers/splits.ts'
import { type Client, startService } from '../helpers/test-service.ts'
import { assertRefused, badRequest, domain, invalid, KEY_REUSED, notFound } from './refused.ts'

let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
})

const NAME_REQUIRED = badRequest('subaccount name is required')
const POST = '/v1/subaccounts'

for (const [what, body] of [
  ['no name', {}],
  ['a blank name', { name: '   ' }],
  ['null as a name', { name: null, payout_phone: '0700000000' }],
] as const)
  test(`a subaccount with ${what} is refused, and its key is free again`, async () => {
    const before = await service.digest()
    const key = { 'idempotency-key': `subaccount with ${what}` }
    assertRefused(await api.post(POST, body, key), NAME_REQUIRED)
    assertRefused(await api.post(POST, body, key), NAME_REQUIRED, { because: 'not a replay' })
    assertRefused(await api.post(POST, body, { 'idempotency-key': undefined }), NAME_REQUIRED)
    assert.equal(await service.digest(), before, 'zero writes')
    assert.equal((await api.post(POST, { name: 'Farm' }, key)).status, 201)
  })

const FAULTS: [string, object, string][] = [
  ['a number as a name', { name: 7 }, 'name must be a string'],
  ['a name of 201 characters', { name: 'n'.repeat(201) }, 'name must be at most 200 characters'],
  ['a name with a tab', { name: 'a\tb' }, 'name contains control characters'],
  ['no phone', { name: 'A', payout_phone: 'abc' }, 'payout_phone is not a valid phone number'],
  ['a short phone', { name: 'A', payout_phone: '070000' }, 'payout_phone is not a valid phone number'],
  ['a number as a phone', { name: 'A', payout_phone: 700000000 }, 'payout_phone must be a string'],
  [
    'a reference of 256 characters',
    { name: 'A', external_ref: 'r'.repeat(256) },
    'external_ref must be at most 255 characters',
  ],
  ['a list as a reference', { name: 'A', external_ref: [] }, 'external_ref must be a string'],
]
for (const [what, body, problem] of FAULTS)
  test(`a subaccount with ${what} is a fault of form`, async () => {
    const before = await service.digest()
    assertRefused(await api.post(POST, body), invalid(problem))
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('an inactive merchant adds none and still reads them; the refusal is kept under its key', async () => {
  const merchant = await service.merchant()
  const own = service.client(merchant.keys.test)
  const [id] = await addSubaccounts(own, 'Farm')
  await service.set(merchant, { active: false })
  const key = { 'idempotency-key': 'inactive' }
  const first = await own.post(POST, { name: 'Farm' }, key)
  assertRefused(first, domain('merchant_inactive', 'merchant is not active'))
  assert.equal((await own.get(`${POST}/${id}`)).status, 200)
  await service.set(merchant, { active: true })
  const again = await own.post(POST, { name: 'Farm' }, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
})

test('a subaccount that is absent, foreign or malformed is not found', async () => {
  const other = service.client((await service.merchant()).keys.test)
  const [foreign = ''] = await addSubaccounts(other, 'Farm')
  const [own = ''] = await addSubaccounts(api, 'Farm')
  for (const id of [foreign, `${own.slice(0, -1)}!`, `${own}0`, own.replace('sub_', 'txn_'), 'sub_', 'x'])
    assertRefused(await api.get(`${POST}/${id}`), notFound('subaccount not found'), { because: id })
})

test('the list refuses a limit and a cursor that are none, and knows no other parameter', async () => {
  const other = service.client((await service.merchant()).keys.test)
  const [foreign = ''] = await addSubaccounts(other, 'Farm')
  for (const limit of ['0', '101', 'ten', '1.5'])
    assertRefused(
      await api.get(`${POST}?limit=${limit}`),
      badRequest('limit must be an integer between 1 and 100'),
      { because: limit },
    )
  for (const cursor of [foreign, 'sub_nobody', 'txn_1'])
    assertRefused(
      await api.get(`${POST}?starting_after=${cursor}`),
      badRequest('invalid starting_after cursor'),
      { because: cursor },
    )
  const { status } = await api.get(`${POST}?created_after=yesterday&status=unheard-of`)
  assert.equal(status, 200)
})

test('the same request with its key again is a replay to the byte, never a second subaccount', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const key = { 'idempotency-key': 'farm' }
  const body = { name: 'Farm', payout_phone: '0700000000' }
  const first = await own.post(POST, body, key)
  const again = await own.post(POST, body, key)
  assert.equal(again.status, 201)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assertRefused(await own.post(POST, { name: 'Barn' }, key), KEY_REUSED)
  assertRefused(await own.post(POST, {}, key), KEY_REUSED, {
    because: 'a used key comes before a fault of the body',
  })
  assertRefused(await own.charge({}, key), KEY_REUSED)
  assert.equal((await own.get(POST)).body.data.length, 1)
})

test('a key belongs to its mode; without one every request is new', async () => {
  const merchant = await service.merchant()
  const inTest = service.client(merchant.keys.test)
  const inLive = service.client(merchant.keys.live)
  const key = { 'idempotency-key': 'farm' }
  const ids = [
    await inTest.post(POST, { name: 'Farm' }, key),
    await inLive.post(POST, { name: 'Farm' }, key),
    await inTest.post(POST, { name: 'Farm' }, { 'idempotency-key': undefined }),
    await inTest.post(POST, { name: 'Farm' }, { 'idempotency-key': undefined }),
    await inTest.post(POST, { name: 'Farm' }, { 'idempotency-key': ' ' }),
  ].map(({ body }) => body.id)
  assert.equal(new Set(ids).size, 5)
})

test('of twenty requests with one key at the same time one makes the subaccount', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const key = { 'idempotency-key': 'all at once' }
  const replies = await Promise.all(Array.from({ length: 20 }, () => own.post(POST, { name: 'Farm' }, key)))
  for (const { status, body } of replies)
    if (status !== 201)
      assert.equal(body.error, 'a request with this Idempotency-Key is still in flight - retry shortly')
  assert.ok(replies.some(({ status }) => status === 201))
  assert.equal((await own.get(POST)).body.data.length, 1)
})

test('of requests with one key through two processes at the same time one makes the subaccount', async (context) => {
  const second = await startService({ database: service.database, clock: service.clock })
  context.after(() => second.close())
  const merchant = await service.merchant()
  const clients = [service, second].map((one) => one.client(merchant.keys.test))
  for (let round = 0; round < 10; round += 1) {
    const key = { 'idempotency-key': `round ${round}` }
    const replies = await Promise.all(clients.map((one) => one.post(POST, { name: 'Farm' }, key)))
    const made = replies.filter(({ status }) => status === 201)
    assert.ok(made.length > 0)
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1)
    for (const { status } of replies) assert.ok(status === 201 || status === 409, String(status))
  }
  assert.equal((await clients[0]?.get(POST))?.body.data.length, 10)
})

test('thirty a minute are accepted for each merchant and mode', async (context) => {
  const env = { RATE_LIMIT_SUBACCOUNTS: '30' }
  const limited = await startService({ database: service.database, clock: service.clock, env })
  context.after(() => limited.close())
  const merchant = await service.merchant()
  const inTest = limited.client(merchant.keys.test)
  for (let count = 0; count < 30; count += 1)
    assert.equal((await inTest.post(POST, { name: 'Farm' })).status, 201)
  const refused = await inTest.post(POST, { name: 'Farm' })
  assert.equal(refused.status, 429)
  assert.equal(refused.body.code, 'rate_limited')
  assert.equal((await limited.client(merchant.keys.live).post(POST, { name: 'Farm' })).status, 201)
})

test('a collections-only key may do all of it', async () => {
  const merchant = await service.merchant()
  const own = service.client(merchant.keys.test_collections)
  const [id] = await addSubaccounts(own, 'Farm')
  assert.equal((await own.get(`${POST}/${id}`)).status, 200)
  assert.equal((await own.get(POST)).body.data.length, 1)
})
