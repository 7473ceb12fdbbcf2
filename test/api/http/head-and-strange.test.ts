import assert from 'node:assert/strict'
import { request } from 'node:http'
import test from 'node:test'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const lines: string[] = []
let key: string
let charge: string
const service = opened(() => startService({ lines }))
prepare(async () => {
  const merchant = await service.merchant({ handle: 'shop-of-heads' })
  key = merchant.keys.test
  charge = (await service.client(key).charge()).body.id
})

type Heard = { status: number; headers: Record<string, unknown>; text: string }
type Asking = { headers?: Record<string, string>; body?: string }

/** A request whose method and target go out as they stand here. */
function ask(method: string, path: string, { headers = {}, body }: Asking = {}): Promise<Heard> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject).end(body)
  })
}

const withKey = () => ({ headers: { authorization: `Bearer ${key}` } })
/** One of each kind of what can be read. */
const READ = () => [
  '/v1/balance',
  '/v1/charges',
  `/v1/charges/${charge}`,
  '/v1/statements/2026-11.pdf',
  '/v1/charges/txn_nobody',
  ...['/livez', '/healthz', '/readyz', '/metrics', '/', '/docs', '/changelog', '/openapi.json'],
  ...['/pay/@shop-of-heads', '/pay/@shop-of-heads/qr.png', '/pay/@nobody', '/dashboard', '/dashboard/sign-in'],
  ...['/console/sign-in', '/no/such/path'],
]
// Of a page whose token is another one each time its length is the same.
const SAME = ['content-type', 'content-length', 'location', 'cache-control', 'etag']

test('HEAD is answered as GET is, without the body', async () => {
  for (const path of READ()) {
    const [got, head] = [await ask('GET', path, withKey()), await ask('HEAD', path, withKey())]
    assert.deepEqual([head.status, head.text], [got.status, ''], path)
    for (const name of SAME) {
      // Without a body nothing need be said of its length, and what tells figures of the moment is another length each time.
      const isOfMoment = path === '/metrics' || path === '/healthz'
      if (name === 'content-length' && (isOfMoment || head.headers[name] === undefined)) continue
      assert.equal(head.headers[name], got.headers[name], `${path}: ${name}`)
    }
  }
})

test('HEAD below /v1 wants a key as GET does, and says so', async () => {
  for (const path of ['/v1/balance', '/v1/charges/txn_a']) assert.equal((await ask('HEAD', path)).status, 401, path)
})

const STRANGE = ['QUERY', 'PROPFIND', 'TRACE', 'OPTIONS', 'PUT', 'M-SEARCH', 'SOURCE']
const KNOWN: [string, string][] = [
  ['/healthz', 'GET, HEAD'],
  ['/', 'GET, HEAD'],
  ['/docs', 'GET, HEAD'],
  ['/v1/charges', 'GET, HEAD, POST'],
  ['/v1/charges/txn_a', 'GET, HEAD'],
  ['/v1/charges/txn_a/refund', 'POST'],
  ['/pay/lnk_a', 'GET, HEAD'],
  ['/inbound/vendor/dispense-result', 'POST'],
  ['/dashboard/sign-in', 'GET, HEAD, POST'],
]

test('a method that a path does not have is 405 with those that it has, with a body or without', async () => {
  for (const [path, allow] of KNOWN)
    for (const method of STRANGE)
      for (const body of [undefined, '{"a":1}']) {
        if (method === 'TRACE' && body !== undefined) continue
        const { status, headers } = await ask(method, path, body === undefined ? {} : { body })
        const named = String(headers.allow).split(', ').sort().join(', ')
        assert.deepEqual([status, named], [405, allow], `${method} ${path}`)
      }
  for (const method of STRANGE) assert.equal((await ask(method, '/no/such/path')).status, 404, method)
})

test('nothing that a stranger sends writes a line at level error', async () => {
  const targets = ['http://[/pay/lnk_a', 'http://x/pay/lnk_a', '*', '/pay/lnk_a?%', '/%zz', '/pay/%ff', '//[/pay']
  for (const target of targets)
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'QUERY'])
      assert.ok((await ask(method, target)).status < 500, `${method} ${target}`)
  const conditions = [
    ['if-match', '"x"'],
    ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['range', 'bytes=9999999-'],
    ['range', 'lines=1-'],
  ]
  for (const [name = '', value = ''] of conditions)
    for (const path of ['/docs/assets/docs.css', '/docs', '/openapi.json'])
      assert.ok((await ask('GET', path, { headers: { [name]: value } })).status < 500, `${path} ${value}`)
  for (const type of ['', ';', 'a/b/c', 'application/json; charset="', 'multipart/form-data'])
    for (const path of ['/v1/charges', '/pay/lnk_a/submit', '/dashboard/sign-in', '/no/such/path'])
      assert.ok((await ask('POST', path, { headers: { 'content-type': type }, body: 'x' })).status < 500, type)
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 50),
    [],
  )
})
