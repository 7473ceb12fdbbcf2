import assert from 'node:assert/strict'
import test from 'node:test'
import { createKey, rotateKey } from '../../../src/merchants/account/api-keys.ts'
import { setKeyAddresses } from '../../../src/merchants/account/key-addresses.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { listRequests } from '../../../src/merchants/request-log/find-requests.ts'
import { owner } from '../../helpers/service/actors.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { assertRefused } from '../http/refused.ts'

const env = { TRUSTED_PROXIES: '1' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database, clock: service.clock }))

const SERVER = '41.210.1.7'
const LISTED = [SERVER, '10.20.0.0/16', '2c0f:eb00::/32', '2c0f:f00d::1']
const elsewhere = (address: string) => ({
  status: 403,
  code: 'address_not_allowed',
  error: `this API key may not be used from ${address}`,
})

async function shop() {
  const merchant = await service.merchant()
  const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const who = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  const keys = () => listKeys(service.app, { id: merchantId })
  const keyId = (await keys()).find(({ kind }) => kind === 'test')?.id ?? ''
  const bind = (addresses: readonly string[], id = keyId, by: Parameters<typeof setKeyAddresses>[1] = who) =>
    setKeyAddresses(service.app, by, { holder: { id: merchantId }, id, addresses })
  const from = (address: string, at = service) =>
    at.client(merchant.keys.test).get('/v1/me', { 'x-forwarded-for': address })
  return { merchant, merchantId, who, keys, keyId, bind, from }
}

const auditOf = (merchantId: number) =>
  service.rows<any>(
    `select subject, actor, before, after from directory.audit where merchant_id = $1 and action = 'key.restrict' order by id`,
    [merchantId],
  )

test('a key with a list is served from its addresses and networks, and refused from everywhere else', async () => {
  const { bind, from } = await shop()
  assert.equal((await from('203.0.113.9')).status, 200, 'without a list it comes from anywhere')
  assert.deepEqual(await bind(LISTED), LISTED)
  for (const address of [SERVER, `${SERVER}:51234`, `::ffff:${SERVER}`, '10.20.255.1', '2c0f:eb00:ff::9'])
    assert.equal((await from(address)).status, 200, address)
  assert.equal((await from('[2c0f:f00d::1]:443')).status, 200, 'one IPv6 address')
  assert.equal((await from(`203.0.113.9, ${SERVER}`)).status, 200, 'what the trusted proxy wrote counts')
  for (const address of ['203.0.113.9', '41.210.1.8', '10.21.0.1', '2c0f:f00d::2', '2c0f:eb01::1', '::1'])
    assertRefused(await from(address), elsewhere(address))
  assertRefused(await from(`${SERVER}, 203.0.113.9`), elsewhere('203.0.113.9'))
  assertRefused(await from('unknown'), elsewhere('unknown'))
  await bind([])
  assert.equal((await from('203.0.113.9')).status, 200)
})

test('whoever has stolen the key learns neither limits nor objects, does nothing, and spends nothing of the shop', async () => {
  const { bind, merchant } = await shop()
  await bind([SERVER])
  const thief = service.client(merchant.keys.test)
  const stolen = { 'x-forwarded-for': '203.0.113.9' }
  const before = await service.digest()
  const replies = [
    await thief.charge(CHARGE, stolen),
    await thief.post('/v1/payouts', { amount: 5000, recipient: { phone: '0700000000' } }, stolen),
    await thief.get('/v1/charges/txn_none?page=2', stolen),
    await thief.post('/v1/charges', { nonsense: 1 }, { ...stolen, 'x-timestamp': undefined }),
  ]
  for (const reply of replies) {
    assertRefused(reply, elsewhere('203.0.113.9'))
    for (const header of ['ratelimit', 'ratelimit-policy', 'ignored-parameters', 'idempotency-status'])
      assert.equal(reply.headers.get(header), null, header)
    assert.equal(JSON.stringify(reply.body).includes(SERVER), false)
  }
  assert.equal(await service.digest(), before)
})

test('a flood from elsewhere is held like one of wrong keys, and the shop is served meanwhile', async () => {
  const strict = await startService({
    database: service.database,
    clock: service.clock,
    env: { ...env, RATE_LIMIT_FAILED_AUTH: '3', RATE_LIMIT_READS: '4' },
  })
  try {
    const { bind, from } = await shop()
    await bind([SERVER])
    await strict.gateway.keyRing.refresh()
    for (let nth = 0; nth < 3; nth += 1) assertRefused(await from('203.0.113.77', strict), elsewhere('203.0.113.77'))
    assert.equal((await from('203.0.113.77', strict)).status, 429)
    for (let nth = 0; nth < 4; nth += 1) assert.equal((await from(SERVER, strict)).status, 200)
  } finally {
    await strict.close()
  }
})

test('the shop sees in its log from where a refused request came, and on the key from where good ones do', async () => {
  const { bind, from, who, keys, keyId } = await shop()
  for (const address of ['41.210.1.1', '41.210.1.2', '2c0f:eb00::9', '41.210.1.1']) {
    await from(address)
    await service.gateway.requests.flush()
    service.pass(60_000)
  }
  await bind([SERVER])
  await from('203.0.113.9')
  await service.gateway.requests.flush()
  const { rows } = await listRequests(service.app, who, { code: 'address_not_allowed' })
  assert.deepEqual(
    rows.map(({ status, route, error }) => [status, route, error]),
    [[403, '/v1/me', 'this API key may not be used from 203.0.113.9']],
  )
  const key = (await keys()).find(({ id }) => id === keyId)
  assert.deepEqual(key?.usedFrom, ['41.210.1.1', '2c0f:eb00:0:0::/64', '41.210.1.2'])
  assert.deepEqual(key?.allowedFrom, [SERVER])
})

test('another process refuses within the time that it takes to hear of a revoked key', async () => {
  const { bind, from } = await shop()
  assert.equal((await from('203.0.113.9', other)).status, 200)
  await bind([SERVER])
  await other.gateway.keyRing.refresh()
  assertRefused(await from('203.0.113.9', other), elsewhere('203.0.113.9'))
  assert.equal((await from(SERVER, other)).status, 200)
})

test('a new key begins with the list of the newest of its kind, also when that one is revoked', async () => {
  const { bind, keys, merchantId: id, who, merchant } = await shop()
  await bind([SERVER])
  const second = await createKey(service.app, who, { holder: { id }, kind: 'test' })
  const third = await rotateKey(service.app, who, { holder: { id }, kind: 'test' })
  for (const key of [second.key, third])
    assert.notEqual((await service.client(key).get('/v1/me', { 'x-forwarded-for': '203.0.113.9' })).status, 200)
  assert.equal((await service.client(third).get('/v1/me', { 'x-forwarded-for': SERVER })).status, 200)
  const lists = (await keys()).map(({ kind, allowedFrom }) => [kind, allowedFrom.length])
  assert.deepEqual(
    lists.filter(([, count]) => count === 1),
    new Array(3).fill(['test', 1]),
  )
  const free = service.client(merchant.keys.test_collections)
  assert.equal((await free.get('/v1/me', { 'x-forwarded-for': '203.0.113.9' })).status, 200, 'other kinds are free')
})

test('only an owner with a fresh factor sets the list, owners hear of it, and the audit has both lists', async () => {
  const { bind, who, keyId, merchantId } = await shop()
  const stepUp = { status: 403, code: 'step_up_required' }
  await assert.rejects(bind([SERVER], keyId, { ...who, factorAgeMs: 5 * 60_000 + 1 }), stepUp)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    await assert.rejects(bind([SERVER], keyId, { ...who, role }), { status: 403, code: 'forbidden' })
  await bind([SERVER])
  await bind([SERVER])
  await bind([])
  assert.deepEqual(await auditOf(merchantId), [
    { subject: keyId, actor: 'owner', before: { addresses: [] }, after: { addresses: [SERVER] } },
    { subject: keyId, actor: 'owner', before: { addresses: [SERVER] }, after: { addresses: [] } },
  ])
})

test('a list that is none is refused and changes nothing', async () => {
  const { bind, merchantId } = await shop()
  const foreign = await shop()
  const wrong: readonly [string[], RegExp][] = [
    [['shop.example'], /shop\.example is none/],
    [[SERVER, '1.2.3'], /1\.2\.3 is none/],
    [['10.20.0.1/16'], /write 10\.20\.0\.0\/16 for all of it/],
    [['0.0.0.0/0'], /an empty list allows that/],
    [['::/0'], /an empty list allows that/],
    [Array.from({ length: 21 }, (_, nth) => `10.0.0.${nth}`), /at most 20/],
  ]
  for (const [addresses, message] of wrong) await assert.rejects(bind(addresses), { status: 400, message })
  await assert.rejects(bind([SERVER], foreign.keyId), { code: 'not_found' })
  assert.deepEqual(await auditOf(merchantId), [])
  const twenty = Array.from({ length: 20 }, (_, nth) => `10.0.0.${nth}`)
  assert.deepEqual(await bind([...twenty, '10.0.0.0/32']), twenty, 'the same twice is one')
})

test('on the page of the key an owner reads from where it came and binds it; a developer reads', async () => {
  const { merchant, from, keyId } = await shop()
  await from(SERVER)
  await service.gateway.requests.flush()
  const page = `/dashboard/test/developers/keys/${keyId}`
  const browser = await signedInAs(service, merchant)
  const before = await browser.get(page)
  assert.match(mainOf(before), /Lately used from 41\.210\.1\.7 May be used from anywhere/)
  const wrong = await browser.send(before, `/developers/keys/${keyId}/addresses`, { addresses: 'nowhere' })
  assert.equal(wrong.status, 400)
  assert.match(mainOf(wrong), /nowhere is none/)
  const saved = await browser.send(before, `/developers/keys/${keyId}/addresses`, {
    addresses: `${SERVER}\r\n10.20.0.0/16`,
  })
  assert.equal(saved.status, 303)
  assert.match(mainOf(await browser.get(page)), /May be used from 41\.210\.1\.7, 10\.20\.0\.0\/16/)
  assertRefused(await from('203.0.113.9'), elsewhere('203.0.113.9'))
  const developer = await signedInAs(service, merchant, { role: 'developer' })
  const seen = await developer.get(page)
  assert.match(mainOf(seen), /May be used from 41\.210\.1\.7/)
  assert.equal(hasForm(seen, '/addresses'), false)
})
