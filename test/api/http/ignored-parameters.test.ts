import assert from 'node:assert/strict'
import test from 'node:test'
import { payer } from '../../helpers/payments/schedules.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { CHARGE, type Reply, startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = opened(() => startService())
const shop = made(() => payer(service, 1_000_000))
const ignored = ({ headers }: Reply) => headers.get('ignored-parameters')
const send = (body: object, path = '/v1/charges', query = '') => shop.api.post(`${path}${query}`, body)

test('a list names the parameters that it does not know, and answers as without them', async () => {
  const plain = await shop.api.get('/v1/charges?limit=2')
  const reply = await shop.api.get('/v1/charges?limit=2&page=2&sort=asc')
  assert.deepEqual([reply.status, reply.text, ignored(reply)], [200, plain.text, 'page, sort'])
  assert.equal(ignored(plain), null)
  assert.equal(ignored(await shop.api.get('/v1/charges?status=&created_after=')), null, 'known ones may be blank')
})

const LISTS: [string, string][] = [
  ['/v1/payment-links?status=paid', 'status'],
  ['/v1/subaccounts?created_after=2026-01-01', 'created_after'],
  ['/v1/settlements?reference=a', 'reference'],
  ['/v1/balance?mode=live', 'mode'],
  ['/v1/charges/txn_none?fields=id', 'fields'],
  ['/v1/charges?limit=0&page=1', 'page'],
]
for (const [path, name] of LISTS)
  test(`${path} names ${name}`, async () => assert.equal(ignored(await shop.api.get(path)), name))

test('a body names its members that nobody looked at, inside of others too, and is taken as without them', async () => {
  const reply = await send(
    { ...CHARGE, curency: 'UGX', customer: { ...CHARGE.customer, nick: 'J' } },
    undefined,
    '?debug=1',
  )
  assert.deepEqual([reply.status, ignored(reply)], [201, 'debug, customer.nick, curency'])
  assert.equal(ignored(await send(CHARGE)), null)
})

test('a refusal names them too: mostly one of them is what is missing', async () => {
  const { amount, ...rest } = CHARGE
  const reply = await send({ ...rest, ammount: amount })
  assert.deepEqual([reply.status, reply.body.field, ignored(reply)], [400, 'amount', 'ammount'])
})

test('lists in a body are named once, whatever their length', async () => {
  const items = Array.from({ length: 3 }, (_, nth) => ({
    phone: `070000010${nth}`,
    amount: 1000,
    name: 'Jane',
    reference: `one-${nth}`,
    note: 'x',
  }))
  const reply = await send({ items }, '/v1/payouts/bulk')
  assert.deepEqual([reply.status, ignored(reply)], [200, 'items[].note'])
})

test('a replay names what the repeated request holds', async () => {
  const key = { 'idempotency-key': 'odd' }
  const body = { ...CHARGE, odd: 1 }
  await shop.api.post('/v1/charges', body, key)
  const again = await shop.api.post('/v1/charges', body, key)
  assert.deepEqual([again.headers.get('idempotency-status'), ignored(again)], ['replayed', 'odd'])
})

test('a name is never longer, stranger or more telling than a header and a log may hold', async () => {
  const names: [string, string][] = [
    ['na\u00efve', 'na?ve'],
    ['a\nb', 'a?b'],
    ['', '?'],
    ['0772123456', '#'],
    ['x'.repeat(5000), 'x'.repeat(60)],
    ['__proto__x', '__proto__x'],
    ['constructor', 'constructor'],
  ]
  for (const [name, shown] of names) assert.equal(ignored(await send({ ...CHARGE, [name]: 1 })), shown, name)
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, nth) => [`m${nth}`, 1]))
  assert.equal(ignored(await send({ ...CHARGE, ...many }))?.split(', ').length, 20)
})

test('without a known key nothing is named', async () => {
  const reply = await shop.api.get('/v1/charges?page=1', { authorization: 'Bearer sk_test_none' })
  assert.deepEqual([reply.status, ignored(reply)], [401, null])
})

test('the log of requests shows them on the page of the request', async () => {
  const reply = await shop.api.get('/v1/charges?pages=7')
  await service.gateway.requests.flush()
  const owner = await signedInAs(service, shop.merchant)
  const id = reply.headers.get('x-request-id') ?? ''
  const list = await owner.get(`/dashboard/test/developers/requests?request=${id}`)
  const [, path = ''] = /href="([^"]*\/requests\/[0-9a-z]+)"/.exec(list.text) ?? []
  assert.match(
    mainOf(await owner.get(path.replaceAll('&amp;', '&'))),
    /Not known to this endpoint, and not looked at pages/,
  )
})
