import assert from 'node:assert/strict'
import { request } from 'node:http'
import test from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { assertRefused, notFound, type Refused } from './refused.ts'

let api: Client
let key: string
const service = opened(() => startService())
prepare(async () => {
  key = (await service.merchant({ vending: true })).keys.test
  api = service.client(key)
})

const NOWHERE = [
  '/v1',
  '/v1/',
  '/v2/charges',
  '/v1/charge',
  '/v1/chargess',
  '/V1/CHARGES',
  '/v1/charges.json',
  '/v1/charges;x=1',
  '/v1/charges%20',
  '/v1/charges%00',
  '/v1/charges%2f',
  '/v1/charges/txn_a/b',
  '/v1/charges/../../etc/passwd',
  '/v1/charges/%2e%2e/%2e%2e/etc/passwd',
  '/v1/%2e%2e/v1/charges',
  '/v1/..%2f..%2fetc%2fpasswd',
  '/v1\\charges',
  '/v1/charges/%zz',
  '/v1/charges/%',
  '/v1/charges/%c0%af',
  '/v1/charges/%ff',
  `/${'a/'.repeat(3000)}`,
]

for (const path of NOWHERE)
  test(`${path.slice(0, 60)} is nowhere: 404, with a key and without`, async () => {
    for (const authorization of [`Bearer ${key}`, undefined]) {
      const reply = await ask('GET', path, { authorization })
      assertRefused(reply, notFound('not found'))
      assertGuarded(reply)
    }
  })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']
const PATHS = [...new Set(ENDPOINTS.map(({ path }) => path))]
const methodsOf = (path: string) =>
  ENDPOINTS.filter((endpoint) => endpoint.path === path).flatMap(({ method }) =>
    method === 'GET' ? [method, 'HEAD'] : [method],
  )
const NO_METHOD: Refused = { status: 405, code: 'method_not_allowed', error: 'method not allowed' }

for (const path of PATHS)
  test(`${path} names the methods it has and refuses all others, before any key is looked at`, async () => {
    const allowed = methodsOf(path)
    const before = await service.digest()
    for (const method of METHODS.filter((method) => !allowed.some((known) => known === method)))
      for (const authorization of [`Bearer ${key}`, undefined]) {
        const reply = await ask(method, path.replace(/:\w+/, 'evt_a'), { authorization })
        assert.equal(reply.status, 405, method)
        assert.deepEqual(reply.headers.get('allow')?.split(', ').sort(), [...allowed].sort(), method)
        assertGuarded(reply)
        if (method === 'HEAD') assert.equal(reply.text, '')
        else assertRefused(reply, NO_METHOD, { because: method })
      }
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a method that only other protocols use is a wrong one too, not an unknown path', async () => {
  for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'PURGE', 'LINK', 'M-SEARCH', 'SOURCE', 'QUERY'])
    assertRefused(await ask(method, '/v1/charges', {}), NO_METHOD, { because: method })
})

test('a method in a header or in the query does not become the method', async () => {
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override'])
    assert.equal((await api.get('/v1/charges?_method=DELETE', { [name]: 'POST' })).body.object, 'list')
})

test('a double slash in the path is no error, and the same request as without', async () => {
  const first = await api.post('//v1//charges', CHARGE, { 'idempotency-key': 'slashes' })
  assert.equal(first.status, 201)
  const again = await api.charge({}, { 'idempotency-key': 'slashes' })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(again.text, first.text)
  assert.equal((await api.get(`///v1///charges//${first.body.id}`)).body.id, first.body.id)
})

test('headers of a POST do no harm on a GET', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-timestamp': 'never',
    'idempotency-key': 'k'.repeat(300),
  }
  for (const { path, method } of ENDPOINTS)
    if (method === 'GET' && !path.includes(':'))
      assert.equal((await api.get(`${path}?phone=0700000000`, headers)).status, 200, path)
})

for (const id of ['a', 'A.b_c-9', '0'.repeat(128), '../../x'.replaceAll('/', '-')])
  test(`the request id ${id.slice(0, 20)} is kept`, async () => {
    const good = await api.get('/v1/me', { 'x-request-id': id })
    assert.equal(good.headers.get('x-request-id'), id)
    const bad = await api.get('/v1/charges/txn_a', { 'x-request-id': id })
    assert.equal(bad.headers.get('x-request-id'), id)
    assert.equal(bad.body.request_id, id)
  })

for (const id of ['0'.repeat(129), 'a b', 'a,b', 'a/b', 'a"b', '{}', 'caf\u00e9', ''])
  test(`the request id ${JSON.stringify(id.slice(0, 20))} is replaced by one of ours`, async () => {
    const reply = await api.get('/v1/me', { 'x-request-id': id })
    assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })

const ANSWERS: [string, (client: Client) => Promise<Reply>, number][] = [
  ['a list', (client) => client.get('/v1/charges'), 200],
  ['a new charge', (client) => client.charge(), 201],
  ['a refusal by a rule', (client) => client.charge({ amount: 1 }), 400],
  ['a fault of form', (client) => client.charge({ amount: 'x' }), 400],
  ['a fault of the query', (client) => client.get('/v1/charges?limit=0'), 400],
  ['no key', (client) => client.get('/v1/charges', { authorization: '' }), 401],
  ['an absent object', (client) => client.get('/v1/charges/txn_a'), 404],
  ['a reused key', (client) => client.charge({ amount: 6000 }, { 'idempotency-key': 'slashes' }), 409],
  ['too large a body', (client) => client.post('/v1/charges', ' '.repeat(1024 * 1024 + 1)), 413],
  ['/livez', (client) => client.get('/livez'), 200],
  ['/healthz', (client) => client.get('/healthz'), 200],
  ['/readyz', (client) => client.get('/readyz'), 200],
]

for (const [name, send, status] of ANSWERS)
  test(`the answer to ${name} carries a request id and every header that guards it`, async () => {
    const reply = await send(api)
    assert.equal(reply.status, status)
    assertGuarded(reply)
  })

test('health is told without a key, as the contract has it', async () => {
  const { body } = await ask('GET', '/healthz', {})
  assert.deepEqual(Object.keys(body), ['status', 'database', 'commit', 'version', 'uptime_seconds'])
  assert.deepEqual([body.status, body.database], ['ok', 'up'])
  assert.ok(body.commit === null || /^[0-9a-f]{12}$/.test(body.commit))
  assert.ok(Number.isInteger(body.uptime_seconds))
  assert.deepEqual((await ask('GET', '/livez', {})).body, { status: 'ok' })
})

test('a known path outside the API refuses other methods too', async () => {
  for (const path of ['/livez', '/healthz', '/readyz'])
    assertRefused(await ask('POST', path, {}), NO_METHOD, { because: path })
})

function assertGuarded({ headers }: Reply): void {
  const expected = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)])), expected)
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/)
  assert.equal(headers.get('x-powered-by'), null)
  assert.equal(headers.get('server'), null)
}

/** A request whose path goes out as it stands here. */
function ask(method: string, path: string, { authorization }: { authorization?: string | undefined }) {
  const { hostname, port } = new URL(service.url)
  const headers = authorization === undefined ? {} : { authorization }
  return new Promise<Reply>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const answered = new Headers(response.headers as Record<string, string>)
        resolve({
          status: response.statusCode ?? 0,
          headers: answered,
          text,
          body: text === '' ? null : JSON.parse(text),
        })
      })
    })
    sent.on('error', reject).end()
  })
}

test('pages and forms of people name the verbs that they have too', async () => {
  const asked: [string, string, string][] = [
    ['POST', '/dashboard/charges', 'GET, HEAD'],
    ['PUT', '//dashboard//charges?a=b', 'GET, HEAD'],
    ['HEAD', '/dashboard/test/charges/txn_a/refund', 'POST'],
    ['GET', '/dashboard/test/charges/txn_a/refund', 'POST'],
    ['POST', '/dashboard', 'GET, HEAD'],
    ['DELETE', '/dashboard/no/such/page', 'GET, HEAD, POST'],
    ['POST', '/console/jobs', 'GET, HEAD'],
    ['PATCH', '/console/as/mer_a/charges', 'GET, HEAD, POST'],
  ]
  for (const [method, path, allow] of asked) {
    const reply = await ask(method, path, {})
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, allow], `${method} ${path}`)
  }
})
