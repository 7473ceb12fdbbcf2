import assert from 'node:assert/strict'
import test from 'node:test'
import { made, opened, prepare } from '../helpers/opened.ts'
import { CHARGE, type Client, startService } from '../helpers/test-service.ts'
import { assertRefused, badRequest, domain, KEY_REUSED } from './refused.ts'

let api: Client
const service = opened(() => startService())
const merchant = made(() => service.merchant())
prepare(async () => {
  api = service.client(merchant.keys.test)
})

const MINUTE = 60_000
const DAY = 86_400_000
const replayed = (reply: { headers: Headers }) => reply.headers.get('idempotent-replayed')
const keyed = (key: string) => ({ 'idempotency-key': key })
const chargesOf = async (client: Client) => (await client.get('/v1/charges?limit=100')).body.data

test('a replay has the stored status and bytes, a request id of its own, and is no second charge', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const first = await own.charge({ reference: 'r' }, keyed('a'))
  assert.deepEqual([first.status, replayed(first)], [201, null])
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal((await own.get(`/v1/charges/${first.body.id}`)).body.status, 'succeeded')
  const before = await service.digest()
  const again = await own.charge({ reference: 'r' }, { ...keyed('a'), 'x-request-id': 'mine' })
  assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  assert.equal(again.headers.get('x-request-id'), 'mine')
  assert.equal(await service.digest(), before, 'zero writes')
  assert.equal((await chargesOf(own)).length, 1)
})

const SAME: [string, string][] = [
  ['in another order', '{"customer":{"phone":"0700000000"},"channel":"op1_momo","amount":5000}'],
  ['with white space', JSON.stringify(CHARGE, null, 4)],
  ['with an exponent', JSON.stringify(CHARGE).replace('5000', '5e3')],
  ['with a point', JSON.stringify(CHARGE).replace('5000', '5000.0')],
  ['with escapes', JSON.stringify(CHARGE).replace('op1', '\\u006fp1')],
  ['with __proto__', JSON.stringify(CHARGE).replace('{', '{"__proto__":{"a":1},')],
]
for (const [name, body] of SAME)
  test(`a body ${name} is the same request`, async () => {
    const first = await api.charge({}, keyed(name))
    const again = await api.post('/v1/charges', body, keyed(name))
    assert.deepEqual([again.text, replayed(again)], [first.text, 'true'])
  })

const OTHER: [string, unknown][] = [
  ['another amount', { ...CHARGE, amount: 5001 }],
  ['another form of the same phone', { ...CHARGE, customer: { phone: '+256700000000' } }],
  ['a reference more', { ...CHARGE, reference: 'r' }],
  ['a currency more', { ...CHARGE, currency: 'UGX' }],
  ['an unknown field more', { ...CHARGE, note: 1 }],
  ['null for an optional field', { ...CHARGE, reference: null }],
  ['a fault of form', { ...CHARGE, amount: 'x' }],
  ['nothing', undefined],
  ['a list', []],
  ['words that are no JSON', 'amount=5000'],
]
for (const [name, body] of OTHER)
  test(`${name} is another request: 409, and the first answer stays`, async () => {
    const key = keyed(`other: ${name}`)
    const first = await api.charge({}, key)
    const before = await service.digest()
    assertRefused(await api.post('/v1/charges', body, key), KEY_REUSED)
    assert.equal(await service.digest(), before, 'zero writes')
    assert.equal((await api.charge({}, key)).text, first.text)
  })

test('a key belongs to one merchant and one mode, and both scopes of keys share it', async () => {
  const [a, b] = [await service.merchant({ verified: true }), await service.merchant()]
  const key = keyed('everywhere')
  const first = await service.client(a.keys.test).charge({}, key)
  const foreign = await service.client(b.keys.test).charge({ amount: 6000 }, key)
  assert.deepEqual([foreign.status, foreign.body.amount, replayed(foreign)], [201, 6000, null])
  const live = await service.client(a.keys.live).charge({}, key)
  assert.deepEqual([live.status, live.body.code], [502, 'rail_unavailable'], 'not the test answer')
  const collections = await service.client(a.keys.test_collections).charge({}, key)
  assert.deepEqual([collections.text, replayed(collections)], [first.text, 'true'])
  assertRefused(await service.client(a.keys.test_collections).charge({ amount: 6000 }, key), KEY_REUSED)
})

const KEYS: [string, string, string][] = [
  ['one character', 'k', 'k'],
  ['255 characters', 'k'.repeat(255), 'k'.repeat(255)],
  ['blanks around it', '  trimmed  ', 'trimmed'],
  ['blanks inside', 'a  b', 'a  b'],
  ['signs', `!"#$%&'()*+,-./:;<=>?@[]^_{|}~`, `!"#$%&'()*+,-./:;<=>?@[]^_{|}~`],
  ['code', "'; drop table idempotency_keys", "'; drop table idempotency_keys"],
  ['capitals, which are not small letters', 'TRIMMED', 'TRIMMED'],
]
for (const [name, sent, stored] of KEYS)
  test(`a key of ${name} is a key`, async () => {
    const first = await api.charge({}, keyed(sent))
    assert.deepEqual([first.status, replayed(first)], [201, null])
    assert.equal((await api.charge({}, keyed(stored))).text, first.text)
  })

test('a blank key is missing, one of 256 characters is none', async () => {
  for (const blank of [undefined, '', ' '])
    assertRefused(
      await api.charge({}, { 'idempotency-key': blank }),
      badRequest('Idempotency-Key header required'),
    )
  assertRefused(
    await api.charge({}, keyed('k'.repeat(256))),
    badRequest('Idempotency-Key must be 1 to 255 characters'),
  )
})

test('a key replays for 30 days less a minute, over a sweep, and is new when they are over and swept', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const first = await own.charge({}, keyed('monthly'))
  const refused = await own.charge({ amount: 1 }, keyed('refused'))
  service.pass(30 * DAY - MINUTE)
  await service.run('prune')
  for (const [body, key, text] of [
    [{}, 'monthly', first.text],
    [{ amount: 1 }, 'refused', refused.text],
  ] as const) {
    const again = await own.charge(body, keyed(key))
    assert.deepEqual([again.text, replayed(again)], [text, 'true'])
  }
  service.pass(MINUTE + 1000)
  assert.ok((await service.run('prune')) >= 2)
  const anew = await own.charge({ amount: 6000 }, keyed('monthly'))
  assert.deepEqual([anew.status, replayed(anew)], [201, null])
  assert.notEqual(anew.body.id, first.body.id)
  assertRefused(
    await own.charge({ amount: 2 }, keyed('refused')),
    domain('fee_exceeds_amount', 'fee exceeds amount'),
  )
})

test('what was answered before a deactivation is repeated after it, what is new is refused', async () => {
  const closed = await service.merchant()
  const own = service.client(closed.keys.test)
  const first = await own.charge({}, keyed('before'))
  await service.set(closed, { active: false })
  const before = await service.digest()
  const again = await own.charge({}, keyed('before'))
  assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  assertRefused(await own.charge({}, keyed('after')), domain('merchant_inactive', 'merchant is not active'))
  assert.equal(await service.digest(), before, 'zero writes')
})

test('a resend ignores a key, used or not', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const first = await own.charge({}, keyed('mine'))
  service.pass(2000)
  await service.run('follow-charges')
  const [event] = (await own.get('/v1/webhooks')).body.data
  for (const key of ['mine', 'mine', 'k'.repeat(300), '', 'unused']) {
    const resent = await own.post(`/v1/webhooks/${event.id}/resend`, undefined, keyed(key))
    assert.deepEqual([resent.status, replayed(resent)], [202, null], key)
  }
  assert.equal((await own.charge({}, keyed('mine'))).text, first.text)
  const unused = await own.charge({}, keyed('unused'))
  assert.deepEqual([unused.status, replayed(unused)], [201, null])
})
