import assert from 'node:assert/strict'
import test from 'node:test'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { reporterOf } from '../../../api/http/changed-reports.ts'
import { md5, postCallback } from '../../../fakes/supplier-callbacks.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispenseSecret, keptOf, RECEIVED, send } from '../../../helpers/vending/callbacks.ts'
import { dispensingOrder, readOrder, vendingShop } from '../../../helpers/vending/vending.ts'

const PATH = '/inbound/vendor/dispense-result'
const SUPPLIER = { baseUrl: 'https://suppliers.co.ug', key: 'k', shbh: '1' }

const service = opened(() => startService())
const reporter = reporterOf(service)
const { shop, dispensing, statusOf, good, refused } = reporter

test('what is no JSON object is answered 400, whatever it calls itself', async () => {
  for (const body of ['', ' ', '[]', '"text"', 'null', '{', 'ddbh=lnk_1&sign=x'])
    await refused(body, 400, 'empty or non-JSON body')
  const order = await dispensing()
  const reply = await fetch(`${service.url}${PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: JSON.stringify(good(order)),
  })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.ok(reply.headers.get('x-request-id'))
  assert.deepEqual(await reply.json(), RECEIVED)
  assert.equal(await statusOf(order), 'dispensed')
})

test('names and ids that could hide another field are refused before anything is looked up', async () => {
  const order = await dispensing()
  for (const [field, value] of [
    ['ddbh', `${order.order_id}&status=1`],
    ['jqbh', 'M=1'],
    ['state', '1&'],
    ['dsfjybh', { id: order.charge_id }],
    ['memo', 'a\u0000b'],
    ['memo', 'line\n'],
    ['a b', 1],
    ['ddbh=x', 1],
  ] as const)
    await refused(good(order, { [field]: value }), 400, `malformed field ${field}`)
})

test('64 KiB pass, one more byte is too large', async () => {
  const order = await dispensing()
  const of = (length: number) => {
    const body = JSON.stringify(good(order, { memo: '' }))
    const memo = 'x'.repeat(length - Buffer.byteLength(body))
    return JSON.stringify(good(order, { memo }))
  }
  assert.equal(of(64 * 1024).length, 64 * 1024)
  await refused(of(64 * 1024 + 1), 413, 'body too large')
  await send(service, of(64 * 1024))
  assert.equal(await statusOf(order), 'dispensed')
})

test('no sign, a malformed one and one of somebody else get the same answer', async () => {
  const order = await dispensing()
  const other = await vendingShop(service)
  const { sign: _, ...unsigned } = good(order)
  const signs = [undefined, null, '', 'x', 12, '0'.repeat(32), md5(`${order.order_id}`)]
  for (const sign of signs) await refused({ ...unsigned, sign }, 401, 'invalid signature')
  for (const key of [await dispenseSecret(other), '', 'dsec_', other.merchant.keys.test])
    await refused(good(order, {}, key), 401, 'invalid signature')
  // A key of the other mode, and a secret that was replaced.
  const { keys } = shop.merchant
  for (const key of [keys.live, keys.live_collections]) await refused(good(order, {}, key), 401, 'invalid signature')
  const old = reporter.secret
  reporter.secret = await dispenseSecret(shop)
  await refused(good(order, {}, old), 401, 'invalid signature')
  for (const [field, value] of [
    ['status', '0'],
    ['jqbh', 'M-2'],
    ['extra', ''],
    ['timestamp', String(service.clock.nowMs() + 60_000)],
  ] as const)
    await refused({ ...good(order), [field]: value }, 401, 'invalid signature')
  const body = good(order)
  await send(service, { ...body, sign: String(body.sign).toUpperCase() })
  assert.equal(await statusOf(order), 'dispensed')
})

test('each of the three kinds of secret is accepted, the API keys until they are switched off', async () => {
  const own = await vendingShop(service)
  const operator = 'c5ee600-35e7-11e7'
  await setVending(service.app, BY_HAND, {
    merchant: { id: own.merchantId },
    change: { supplier: { ...SUPPLIER, secret: operator } },
  })
  const dispense = await dispenseSecret(own)
  const { keys } = own.merchant
  for (const key of [dispense, operator, keys.test, keys.test_collections]) {
    const order = await dispensingOrder(service, own)
    await send(service, good(order, {}, key))
    assert.equal((await readOrder(own, order.order_id)).vending_status, 'dispensed', key)
  }
  await setVending(service.app, BY_HAND, {
    merchant: { id: own.merchantId },
    change: { acceptApiSecret: false },
  })
  const order = await dispensingOrder(service, own)
  for (const key of [keys.test, keys.test_collections]) await refused(good(order, {}, key), 401, 'invalid signature')
  await send(service, good(order, {}, operator))
  assert.equal((await readOrder(own, order.order_id)).vending_status, 'dispensed')
})

test('the time has ten or thirteen digits and is within five minutes of now', async () => {
  const order = await dispensing()
  const now = () => service.clock.nowMs()
  for (const timestamp of [undefined, null, '', 'now', 172475000, '17247500001', '1724750000.5', true, ['1724750000']])
    await refused(good(order, { timestamp }), 400, 'timestamp must be 10 or 13 digits')
  const stale = 'timestamp outside the allowed window'
  for (const off of [-301_000, 302_000, -86_400_000, 31_536_000_000]) {
    await refused(good(order, { timestamp: now() + off }), 401, stale)
    await refused(good(order, { timestamp: String(Math.floor((now() + off) / 1000)) }), 401, stale)
  }
  // A wrong signature is told first: whoever has no secret learns nothing of our clock.
  await refused(good(order, { timestamp: now() - 301_000 }, 'guess'), 401, 'invalid signature')
  await send(service, good(order, { timestamp: now() - 298_000, status: 'busy' }))
  await send(service, good(order, { timestamp: now() + 299_000, status: 'busy' }))
  assert.equal((await keptOf(service, order.order_id)).length, 2)
})

test('a good signature without status, machine or units is sent again by the supplier', async () => {
  const order = await dispensing()
  await refused(good(order, { status: undefined }), 400, 'status is required')
  await refused(good(order, { status: '', state: ' ' }), 400, 'status is required')
  await refused(good(order, { jqbh: undefined }), 400, 'jqbh is required')
  await refused(good(order, { jqbh: null }), 400, 'jqbh is required')
  for (const splist of [undefined, null, [], {}, 'x', [1], [{}], [{ chsl: -1 }], [{ chsl: 1.5 }], [{ chsl: 'one' }]])
    await refused(good(order, { splist }), 400, 'splist is required')
  const nameless = { ddbh: undefined, dsfjybh: undefined, jqbh: undefined }
  await refused(good(order, nameless), 400, 'jqbh is required')
  // Nothing was kept of it, so the mended message is the first under its sign.
  const body = good(order)
  await refused({ ...body, splist: [] }, 400, 'splist is required')
  await send(service, body)
  assert.equal(await statusOf(order), 'dispensed')
})

test('other verbs are answered 405 in the form of the supplier', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const reply = await fetch(`${service.url}${PATH}`, { method })
    assert.equal(reply.status, 405)
    assert.equal(reply.headers.get('allow'), 'POST')
    assert.deepEqual(await reply.json(), { code: '0', message: 'method not allowed' })
  }
})

test('too many from one address are told to slow down, others are not', async () => {
  const limited = await startService({ env: { RATE_LIMIT_CALLBACKS: '5', TRUSTED_PROXIES: '1' } })
  try {
    const post = (from: string) =>
      fetch(`${limited.url}${PATH}`, { method: 'POST', body: '{}', headers: { 'x-forwarded-for': from } })
    for (let time = 0; time < 5; time += 1) assert.equal((await post('10.0.0.1')).status, 401)
    const reply = await post('10.0.0.1')
    assert.equal(reply.status, 429)
    assert.deepEqual(await reply.json(), { code: '0', message: 'slow down' })
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await post('10.0.0.2')).status, 401)
    limited.pass(60_000)
    assert.equal((await post('10.0.0.1')).status, 401)
  } finally {
    await limited.close()
  }
})

test('while the database is away the supplier is told to try again', async () => {
  const order = await dispensing()
  await service.rows('alter table vending_orders rename to away')
  const reply = await postCallback(service.url, good(order)).finally(() =>
    service.rows('alter table away rename to vending_orders'),
  )
  assert.deepEqual(
    { status: reply.status, body: reply.body },
    { status: 500, body: { code: '0', message: 'try again' } },
  )
  await send(service, good(order))
  assert.equal(await statusOf(order), 'dispensed')
})
