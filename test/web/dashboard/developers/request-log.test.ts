import assert from 'node:assert/strict'
import test from 'node:test'
import type { Caller } from '../../../../src/api/access/actor.ts'
import type { AnsweredRequest } from '../../../../src/api/http/frame.ts'
import { listKeys } from '../../../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { findRequest, listRequests, type RequestFilter } from '../../../../src/merchants/request-log/find-requests.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { fullKey, owner } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../../helpers/service/test-service.ts'

const DAY_MS = 86_400_000
const service = openedAndVerified(() => startService())

async function shop() {
  const merchant = await service.merchant()
  const found = await getMerchantNamed(service.gateway, merchant.id)
  const { id: merchantId, tag } = found.merchant
  const caller = (mode: Mode) => owner({ merchantId, tag, cell: 'cell_0', mode })
  const seen = async (filter: RequestFilter = {}, mode: Mode = 'test') => {
    await service.gateway.requests.flush()
    return listRequests(service.app, caller(mode), filter)
  }
  return { merchant, merchantId, caller, seen, api: service.client(merchant.keys.test) }
}

test('every outcome of a request stands in the log as the caller saw it, newest first', async () => {
  const own = await shop()
  const key = { 'idempotency-key': 'one' }
  const made = await own.api.charge({}, key)
  await own.api.charge({}, key)
  await own.api.charge({ amount: 6000 }, key)
  await own.api.charge({ amount: 'many' })
  await own.api.get('/v1/charges/txn_none')
  await own.api.post('/v1/charges', CHARGE, { 'x-timestamp': undefined })
  await service.client(own.merchant.keys.test_collections).get('/v1/payouts')
  const { rows, newer, older } = await own.seen()
  assert.deepEqual(
    rows.map(({ method, route, status, code, keyOutcome }) => [method, route, status, code, keyOutcome]),
    [
      ['GET', '/v1/payouts', 403, 'forbidden', null],
      ['POST', '/v1/charges', 400, 'bad_request', null],
      ['GET', '/v1/charges/:id', 404, 'not_found', null],
      ['POST', '/v1/charges', 400, 'bad_request', null],
      ['POST', '/v1/charges', 409, 'conflict', 'conflict'],
      ['POST', '/v1/charges', 201, null, 'replay'],
      ['POST', '/v1/charges', 201, null, 'new'],
    ],
  )
  assert.deepEqual([newer, older], [null, null])
  const [collections, noTime, missing] = rows
  assert.equal(collections?.keyLast4, own.merchant.keys.test_collections.slice(-4))
  assert.match(noTime?.error ?? '', /^X-Timestamp header required/)
  assert.match(missing?.error ?? '', /not found/)
  const first = rows.at(-1)
  assert.equal(first?.objectId, made.body.id)
  assert.equal(first?.requestId, made.headers.get('x-request-id'))
  assert.equal(first?.error, null)
  assert.ok((first?.ms ?? -1) > 0)
})

test('a request without a known key is in nobody’s log, and a log has neither phones nor whole keys', async () => {
  const own = await shop()
  const turned = own.merchant.keys.test.endsWith('x') ? 'y' : 'x'
  const strange = await service.client(`${own.merchant.keys.test.slice(0, -1)}${turned}`).get('/v1/me')
  assert.equal(strange.status, 401)
  await own.api.charge({ customer: { phone: '0772 123 45x' } })
  await own.api.get(`/v1/charges?status=${own.merchant.keys.live}`)
  await own.api.get('/v1/charges?status=0772123456')
  await own.seen()
  const text = JSON.stringify(
    await service.rows('select to_json(r) as row from request_log r where merchant_id = $1', [own.merchantId]),
  )
  assert.ok(text.includes('"status":400'))
  assert.ok(!text.includes('"status":401'))
  for (const secret of ['772123456', own.merchant.keys.live, own.merchant.keys.test])
    assert.ok(!text.includes(secret), `${secret} is in the log`)
})

test('filters and pages both ways', async () => {
  const own = await shop()
  const ids: string[] = []
  for (let each = 0; each < 70; each += 1) {
    const { headers } = await own.api.get(each % 10 === 0 ? '/v1/charges/txn_none' : '/v1/balance')
    ids.push(headers.get('x-request-id') ?? '')
  }
  const first = await own.seen()
  assert.equal(first.rows.length, 30)
  const second = await own.seen({ after: first.older ?? '' })
  const third = await own.seen({ after: second.older ?? '' })
  const told = [...first.rows, ...second.rows, ...third.rows].map(({ requestId }) => requestId)
  assert.deepEqual(new Set(told), new Set(ids))
  assert.equal(told.length, 70)
  assert.equal(third.older, null)
  const back = await own.seen({ before: third.newer ?? '' })
  assert.deepEqual(back.rows, second.rows)
  assert.deepEqual((await own.seen({ before: back.newer ?? '' })).rows, first.rows)
  const routes = async (filter: RequestFilter) => (await own.seen(filter)).rows.map(({ route }) => route)
  assert.deepEqual(new Set(await routes({ status: '4' })), new Set(['/v1/charges/:id']))
  assert.equal((await routes({ code: 'not_found', method: 'GET' })).length, 7)
  assert.deepEqual(await routes({ method: 'POST' }), [])
  assert.deepEqual(await routes({ status: '5' }), [])
  assert.equal((await routes({ route: '/v1/balance', key: own.merchant.keys.test.slice(-4) })).length, 30)
  assert.deepEqual(await routes({ key: 'none' }), [])
  assert.deepEqual(await routes({ request: ids[3] ?? '' }), ['/v1/balance'])
  assert.deepEqual(await routes({ from: '2100-01-01' }), [])
  assert.deepEqual(await routes({ until: '2001-01-01' }), [])
  for (const wrong of [{ status: '9' }, { method: 'PUT' }, { from: 'soon' }, { after: '???' }])
    await assert.rejects(own.seen(wrong), { status: 400 })
})

test('a rare request far back is found in steps that say how far they have looked', async () => {
  const own = await shop()
  await own.api.get('/v1/me', { 'x-request-id': 'null' })
  await own.api.get('/v1/me', { 'x-request-id': 'needle' })
  await own.seen()
  await service.rows(
    `insert into request_log (merchant_id, mode, id, request_id, method, route, status, ms, key_last4)
     select merchant_id, mode, id + n, 'hay', method, route, 200, 1, key_last4
     from request_log, generate_series(1, 10500) n where merchant_id = $1 and request_id = 'needle'`,
    [own.merchantId],
  )
  const near = await own.seen({ request: 'needle' })
  assert.deepEqual(near.rows, [])
  assert.ok(near.searchedBackTo)
  const far = await own.seen({ request: 'needle', after: near.older ?? '' })
  assert.deepEqual(
    far.rows.map(({ requestId }) => requestId),
    ['needle'],
  )
})

test('another merchant, and the other mode, see nothing of it', async () => {
  const [own, other] = [await shop(), await shop()]
  await own.api.get('/v1/me')
  const [row] = (await own.seen()).rows
  assert.ok(row)
  assert.deepEqual(await findRequest(service.app, own.caller('test'), row.id), row)
  const strangers: Caller[] = [own.caller('live'), other.caller('test')]
  for (const stranger of strangers) {
    assert.equal(await findRequest(service.app, stranger, row.id), null)
    assert.deepEqual((await listRequests(service.app, stranger, {})).rows, [])
  }
  for (const wrong of ['', '0', 'zzzzzzzzzzzzz', "';--"])
    assert.equal(await findRequest(service.app, own.caller('test'), wrong), null)
})

test('the buffer is bounded: what finds no room is counted, the rest is written', async () => {
  const own = await shop()
  const { requests } = service.gateway
  const { merchantId, tag } = own.caller('test')
  const noted: AnsweredRequest = {
    caller: { ...fullKey({ merchantId, tag, cell: 'cell_0', mode: 'test' }), requestId: 'flood' },
    ...{ method: 'GET', route: '/v1/me', status: 200, ms: 1 },
    ...{ code: null, error: null, keyOutcome: null, objectId: null, ignored: null },
  }
  for (let each = 0; each < 20_500; each += 1) requests.note(noted)
  assert.ok(requests.dropped() >= 500, `${requests.dropped()} were dropped`)
  await requests.flush()
  const [{ count }] = (await service.rows<{ count: string }>(
    'select count(*) from request_log where merchant_id = $1',
    [own.merchantId],
  )) as [{ count: string }]
  assert.ok(Number(count) > 19_000, `${count} were written`)
})

test('a process that stops writes what it has noted', async () => {
  const own = await shop()
  const other = await startService({ database: service.database, clock: service.clock })
  await other.client(own.merchant.keys.test).get('/v1/me')
  await other.close()
  const rows = await service.rows('select route from request_log where merchant_id = $1', [own.merchantId])
  assert.deepEqual(rows, [{ route: '/v1/me' }])
})

test('a request is forgotten after 30 days, and a key shows when it was last used', async () => {
  const own = await shop()
  await own.api.get('/v1/me')
  await own.seen()
  const [used, ...unused] = (await listKeys(service.app, { id: own.merchantId })).sort(
    (a, b) => Number(b.lastUsedAt !== null) - Number(a.lastUsedAt !== null),
  )
  assert.equal(used?.kind, 'test')
  assert.ok(Math.abs(service.clock.nowMs() - (used?.lastUsedAt?.getTime() ?? 0)) < 5000)
  assert.deepEqual([...new Set(unused.map(({ lastUsedAt }) => lastUsedAt))], [null])
  service.pass(29 * DAY_MS)
  await service.run('prune')
  assert.equal((await own.seen()).rows.length, 1)
  service.pass(1.1 * DAY_MS)
  await service.client(own.merchant.keys.test).get('/v1/balance')
  await own.seen()
  await service.run('prune')
  assert.deepEqual(
    (await own.seen()).rows.map(({ route }) => route),
    ['/v1/balance'],
  )
})
