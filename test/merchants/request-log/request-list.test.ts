import assert from 'node:assert/strict'
import test from 'node:test'
import { FORBIDDEN } from '../../api/http/known-refusals.ts'
import { assertRefused, badRequest, notFound } from '../../api/http/refused.ts'
import { DAY, eventually } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())
const neighbour = made(() => service.merchant())
const LOG = '/v1/requests'

/**
 * Resolves when everything that was answered before is in the log. The service writes it by itself too, and a flush beside that one has nothing
 * left to write: so a later request of somebody else is waited for.
 */
async function flush(): Promise<void> {
  const { headers } = await service.client(neighbour.keys.test).get('/v1/me')
  await service.gateway.requests.flush()
  await eventually('it is in the log', () => isWritten(headers.get('x-request-id')))
}

async function isWritten(requestId: string | null): Promise<boolean> {
  return (await service.rows('select 1 from request_log where request_id = $1', [requestId])).length > 0
}

async function shop() {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  return { merchant, api, live: service.client(merchant.keys.live), ask: asking(api) }
}

/** Asks for a page of the log, with everything that was answered before. */
const asking =
  (api: Client) =>
  async (query: Record<string, string> = {}) => {
    await flush()
    const { status, body, headers, text } = await api.get(`${LOG}?${new URLSearchParams(query)}`)
    assert.deepEqual([status, headers.get('ignored-parameters')], [200, null], text)
    return body
  }

const routesOf = ({ data }: any): string[] => data.map(({ route }: any) => route)
/** What was asked for before the log was read. */
const withoutReads = (rows: any[]) => rows.filter(({ route }) => route !== LOG)

test('a row says what was asked and answered, as the page of the dashboard does, and nothing else', async () => {
  const { merchant, api, ask } = await shop()
  const key = { 'idempotency-key': 'one' }
  const made = await api.charge({}, key)
  await api.charge({}, key)
  await api.charge({ amount: 6000 }, key)
  await api.get('/v1/charges/txn_none?page=2&fields=id', { 'x-request-id': 'mine-1' })
  const { data, ...envelope } = await ask()
  assert.deepEqual(envelope, { object: 'list', has_more: false, next_cursor: null, searched_back_to: null })
  const [missing, conflict, replayed, first] = data
  const { id, created_at, duration_ms, ...rest } = missing
  assert.match(id, /^req_[a-z0-9]{21}$/)
  assert.ok(Math.abs(Date.parse(created_at) - service.clock.nowMs()) < 60_000)
  assert.ok(duration_ms > 0)
  assert.deepEqual(rest, {
    ...{ request_id: 'mine-1', mode: 'test', method: 'GET', route: '/v1/charges/:id', status: 404 },
    ...{ code: 'not_found', error: 'charge not found', idempotency_status: null },
    ...{ key_last4: merchant.keys.test.slice(-4), object_id: null, ignored_parameters: ['page', 'fields'] },
  })
  assert.deepEqual(
    [conflict, replayed, first].map((row) => [row.status, row.idempotency_status, row.ignored_parameters]),
    [
      [409, 'conflict', []],
      [201, 'replayed', []],
      [201, 'new', []],
    ],
  )
  assert.deepEqual([first.object_id, first.code, first.error], [made.body.id, null, null])
  assert.equal(first.request_id, made.headers.get('x-request-id'))
  assert.doesNotMatch(JSON.stringify(data), new RegExp(`${merchant.keys.test}|256700000000`))
  const alone = await api.get(`${LOG}/${id}`)
  assert.deepEqual([alone.status, alone.body], [200, missing])
})

test('it is that of the key’s merchant and mode, and of full keys alone, as payouts are', async () => {
  const [ours, theirs] = [await shop(), await shop()]
  await ours.api.get('/v1/me')
  const [row] = (await ours.ask()).data
  const kiosk = service.client(ours.merchant.keys.test_collections)
  for (const path of [LOG, `${LOG}/${row.id}`]) assertRefused(await kiosk.get(path), FORBIDDEN)
  for (const stranger of [ours.live, theirs.api]) {
    assertRefused(await stranger.get(`${LOG}/${row.id}`), notFound('request not found'))
    const { data } = await asking(stranger)({ route: '/v1/me' })
    assert.deepEqual(data, [])
  }
  for (const id of [`${row.id}a`, row.id.slice(0, -1), row.id.toUpperCase(), 'req_', '0', row.id.slice(4), 'null'])
    assertRefused(await ours.api.get(`${LOG}/${id}`), notFound('request not found'), { because: id })
  assert.ok(
    (await ours.ask()).data.some(({ status }: any) => status === 403),
    'the refusals of the other key are in it',
  )
})

test('pages lead from the newest to the oldest request and back, each once', async () => {
  const { api, ask } = await shop()
  const ids: string[] = []
  for (let each = 0; each < 25; each += 1) ids.unshift((await api.get('/v1/balance')).headers.get('x-request-id') ?? '')
  service.pass(5000)
  const walk = async (way: 'starting_after' | 'ending_before', from: string | null) => {
    const seen: any[] = []
    for (let cursor = from, steps = 0; steps === 0 || cursor !== null; steps += 1) {
      assert.ok(steps < 9, `${steps} steps`)
      const page = await ask({ route: '/v1/balance', limit: '4', ...(cursor !== null && { [way]: cursor }) })
      seen[way === 'starting_after' ? 'push' : 'unshift'](...page.data)
      assert.equal(page.has_more, page.next_cursor !== null)
      cursor = page.next_cursor
    }
    return seen
  }
  const down = await walk('starting_after', null)
  assert.deepEqual(
    down.map((row) => row.request_id),
    ids,
  )
  assert.deepEqual(await walk('ending_before', down.at(-1).id), down.slice(0, -1))
  assert.equal((await ask()).data.length, 20, 'unless told otherwise')
})

test('filters are those of the dashboard’s page, alone and together', async () => {
  const { merchant, api, ask } = await shop()
  for (const path of ['/v1/balance', '/v1/charges/txn_none', '/v1/charges?status=paid']) await api.get(path)
  const { headers } = await api.charge()
  const cases: [Record<string, string>, string[]][] = [
    [{ status: '2xx' }, ['/v1/charges', '/v1/balance']],
    [{ status: '4xx' }, ['/v1/charges', '/v1/charges/:id']],
    [{ status: 'refused', code: 'not_found' }, ['/v1/charges/:id']],
    [{ status: '5xx' }, []],
    [{ method: 'POST' }, ['/v1/charges']],
    [{ route: '/v1/charges', status: 'refused' }, ['/v1/charges']],
    [{ key_last4: 'none' }, []],
    [{ key_last4: merchant.keys.test.slice(-4), method: 'POST' }, ['/v1/charges']],
    [{ request_id: headers.get('x-request-id') ?? '' }, ['/v1/charges']],
    [{ created_after: '2100-01-01' }, []],
    [{ created_before: '2001-01-01' }, []],
    [{ route: '/v1/nothing' }, []],
  ]
  for (const [query, routes] of cases)
    assert.deepEqual(routesOf({ data: withoutReads((await ask(query)).data) }), routes, JSON.stringify(query))
  const [row] = (await ask({ route: '/v1/balance' })).data
  const moment = { created_after: row.created_at, created_before: row.created_at, route: '/v1/balance' }
  assert.deepEqual((await ask(moment)).data, [row], 'both bounds are inclusive')
  const odd = await api.get(`${LOG}?kind=charge`)
  assert.deepEqual([odd.status, odd.headers.get('ignored-parameters')], [200, 'kind'])
})

const REFUSED: [query: string, error: string][] = [
  ['status=404', 'invalid status: 404'],
  ['status=2xx,4xx', 'invalid status: 2xx,4xx'],
  ['method=PUT', 'invalid method: PUT'],
  ['route=charges', 'invalid route: charges'],
  ['route=/v1/charges/{id}', 'invalid route: /v1/charges/{id}'],
  ['code=none_such', 'invalid code: none_such'],
  ['code=constructor', 'invalid code: constructor'],
  ['key_last4=sk_test_1', 'key_last4 must be the last four characters of a key'],
  ['created_after=soon', 'created_after must be an ISO 8601 datetime'],
  ['created_before=soon', 'created_before must be an ISO 8601 datetime'],
  ['limit=101', 'limit must be an integer between 1 and 100'],
  ['limit=0', 'limit must be an integer between 1 and 100'],
  ['starting_after=txn_none', 'invalid starting_after cursor'],
  ['starting_after=req_none', 'invalid starting_after cursor'],
  ['ending_before=req_none', 'invalid ending_before cursor'],
  ['starting_after=a&ending_before=b', 'starting_after and ending_before cannot be used together'],
]
test('a query that is wrong is refused with what is wrong, and so is a cursor of another merchant', async () => {
  const [{ api }, theirs] = [await shop(), await shop()]
  for (const [query, error] of REFUSED)
    assertRefused(await api.get(`${LOG}?${query}`), badRequest(error), { because: query })
  await theirs.api.get('/v1/me')
  const [{ id }] = (await theirs.ask()).data
  assertRefused(await api.get(`${LOG}?starting_after=${id}`), badRequest('invalid starting_after cursor'))
  for (const forged of [`${id}0`, id.slice(0, -1), id.toUpperCase(), `${id.slice(0, 9)}${'z'.repeat(16)}`]) {
    const own = await theirs.api.get(`${LOG}?ending_before=${forged}`)
    assertRefused(own, badRequest('invalid ending_before cursor'), { because: forged })
  }
})

test('a rare request far back is found over the cursors, and each page says how far it has looked', async () => {
  const { api, ask } = await shop()
  await api.get('/v1/me', { 'x-request-id': 'needle' })
  await flush()
  await service.rows(
    `insert into request_log (merchant_id, mode, id, request_id, method, route, status, ms, key_last4)
     select merchant_id, mode, id + n, 'hay', method, '/v1/balance', 200, 1, key_last4
     from request_log, generate_series(1, 10500) n where request_id = 'needle'`,
  )
  service.pass(5000)
  const near = await ask({ request_id: 'needle' })
  assert.deepEqual([near.data, near.has_more], [[], true])
  const [{ created_at }] = (await ask({ route: '/v1/balance', limit: '1' })).data
  assert.equal(near.searched_back_to, created_at)
  const far = await ask({ request_id: 'needle', starting_after: near.next_cursor })
  assert.deepEqual([routesOf(far), far.has_more, far.searched_back_to], [['/v1/me'], false, null])
  await flush()
  service.pass(5000)
  const first = await ask({ route: LOG, ending_before: far.data[0].id })
  assert.deepEqual([first.data, first.has_more], [[], true], 'towards newer ones the same')
  const rest = await ask({ route: LOG, ending_before: first.next_cursor })
  assert.deepEqual([rest.data.length > 0, rest.has_more], [true, false])
})

test('whoever reads on behind the newest one sees each once and in order, also where a process writes its own late', async () => {
  const { merchant, api, ask } = await shop()
  const beside = await startService({ database: service.database, clock: service.clock })
  try {
    await api.get('/v1/me')
    const [{ id: start }] = (await ask({ route: '/v1/me' })).data
    const follow = async (cursor: string) => withoutReads((await ask({ ending_before: cursor })).data)
    const late = await beside.client(merchant.keys.test).get('/v1/balance')
    service.pass(1)
    await api.get('/v1/charges')
    assert.deepEqual(await follow(start), [], 'not before the others had time to write')
    await beside.gateway.requests.flush()
    await eventually('the late one is in the log', () => isWritten(late.headers.get('x-request-id')))
    service.pass(3001)
    const settled = await follow(start)
    assert.deepEqual(routesOf({ data: settled }), ['/v1/charges', '/v1/balance'])
    assert.deepEqual(await follow(settled[0].id), [])
  } finally {
    await beside.close()
  }
})

test('a cursor stays good when its row is no longer kept', async () => {
  const { api, ask } = await shop()
  await api.get('/v1/me')
  const [{ id }] = (await ask({ route: '/v1/me' })).data
  service.pass(31 * DAY)
  await service.run('prune')
  assertRefused(await api.get(`${LOG}/${id}`), notFound('request not found'))
  await api.get('/v1/balance')
  await flush()
  service.pass(3001)
  assert.deepEqual(routesOf(await ask({ ending_before: id, route: '/v1/balance' })), ['/v1/balance'])
  assert.deepEqual((await ask({ starting_after: id })).data, [])
})
