import assert from 'node:assert/strict'
import test from 'node:test'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Reply, startService } from '../../helpers/service/test-service.ts'
import { KEY_TOO_LONG } from './known-refusals.ts'
import { type RawAnswer, requestOf, talk } from './raw-socket.ts'
import { assertRefused, badRequest, invalid, type Refused, unauthorized } from './refused.ts'

let key: string
const service = opened(() => startService())
prepare(async () => {
  key = (await service.merchant()).keys.test
})

const BODY = JSON.stringify(CHARGE)
const LENGTH = `Content-Length: ${BODY.length}`
const NO_HTTP = invalid('not a well-formed HTTP request')
const good = (...more: string[]) => [
  `Authorization: Bearer ${key}`,
  `X-Timestamp: ${now()}`,
  'Idempotency-Key: on the wire',
  'Content-Type: application/json',
  ...more,
]
const now = () => Math.floor(service.clock.nowMs() / 1000)
const post = (headers: string[], body = BODY) => requestOf('POST /v1/charges', headers, body)

// What one side reads as one request and the other as two: never two answers, never a charge.
const SMUGGLED: [string, () => string][] = [
  ['two lengths that differ', () => post(good(LENGTH, 'Content-Length: 5'))],
  ['two lengths that agree', () => post(good(LENGTH, LENGTH))],
  ['a list of lengths', () => post(good(`Content-Length: ${BODY.length}, ${BODY.length}`))],
  ['a length with a sign', () => post(good(`Content-Length: +${BODY.length}`))],
  ['a negative length', () => post(good('Content-Length: -1'))],
  ['a length in hexadecimal', () => post(good(`Content-Length: 0x${BODY.length.toString(16)}`))],
  ['a length beyond all numbers', () => post(good(`Content-Length: ${'9'.repeat(40)}`))],
  ['a length and chunks', () => post(good(LENGTH, 'Transfer-Encoding: chunked'), chunked(BODY))],
  ['chunks and a length', () => post(good('Transfer-Encoding: chunked', LENGTH), chunked(BODY))],
  ['chunks that are not last', () => post(good('Transfer-Encoding: chunked, identity'), chunked(BODY))],
  ['an unknown coding', () => post(good('Transfer-Encoding: xchunked'), chunked(BODY))],
  ['a coding behind a blank', () => post(good('Transfer-Encoding : chunked'), chunked(BODY))],
  ['a length behind a blank', () => post(good(`Content-Length : ${BODY.length}`))],
  ['a chunk without a size', () => post(good('Transfer-Encoding: chunked'), `\r\n${BODY}\r\n0\r\n\r\n`)],
  ['a chunk of negative size', () => post(good('Transfer-Encoding: chunked'), `-1\r\n${BODY}\r\n0\r\n\r\n`)],
  ['a chunk size beyond all numbers', () => post(good('Transfer-Encoding: chunked'), `${'f'.repeat(20)}\r\n`)],
  ['a bare LF after a chunk size', () => post(good('Transfer-Encoding: chunked'), chunked(BODY, '\n'))],
  ['bare LFs as line ends', () => post(good(LENGTH)).replaceAll('\r\n', '\n')],
  ['one bare LF between headers', () => post(good(LENGTH, 'X-A: b\nX-C: d'))],
  ['a bare CR in a header', () => post(good(LENGTH, 'X-A: b\rX-C: d'))],
  ['a folded header', () => post(good(LENGTH, 'X-A: b\r\n c'))],
  ['a NUL in a header', () => post(good(LENGTH, 'X-A: b\u0000c'))],
  ['a header without a name', () => post(good(LENGTH, ': b'))],
  ['a header without a colon', () => post(good(LENGTH, 'nonsense'))],
  ['a method that does not exist', () => requestOf('PAY /v1/charges', good(), BODY)],
  ['another protocol', () => 'EHLO gateway\r\n\r\n'],
  ['a version that does not exist', () => post(good()).replace('HTTP/1.1', 'HTTP/9.9')],
  ['a blank in the path', () => requestOf('POST /v1/charges of mine', good(), BODY)],
]

for (const [name, bytes] of SMUGGLED)
  test(`a request with ${name} is refused once and the connection closed`, async () => {
    const before = await service.digest()
    const { answers } = await talk(service.url, bytes())
    assert.equal(answers.length, 1)
    assertRefused(answers[0] as RawAnswer, NO_HTTP)
    assert.equal(answers[0]?.headers.get('connection'), 'close')
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a chunked body, a chunk extension and a trailer are read as one body', async () => {
  const charged = await one(
    post(
      good('Transfer-Encoding: chunked', 'Connection: close', 'X-Request-ID: chunks'),
      `${BODY.length.toString(16)};note=x\r\n${BODY}\r\n0\r\nX-Trailer: t\r\n\r\n`,
    ).replace('on the wire', 'in chunks'),
  )
  assert.equal(charged.status, 201)
})

const HEADERS: [string, () => string[], number][] = [
  ['15 KB of headers', () => good(`X-Long: ${'h'.repeat(15_000)}`, 'Connection: close'), 200],
  ['17 KB of headers', () => good(`X-Long: ${'h'.repeat(17_000)}`), 431],
  ['32 KB of headers', () => good(`X-Long: ${'h'.repeat(32_000)}`), 431],
  ['32 KB of small headers', () => good(...many(2000, 'X-Many: value')), 431],
  ['100 headers', () => good('Connection: close', ...many(94, 'X-Many: v')), 200],
  ['101 headers', () => good('Connection: close', ...many(95, 'X-Many: v')), 431],
]

for (const [name, headers, status] of HEADERS)
  test(`${name} are answered ${status}`, async () => {
    const reply = await one(requestOf('GET /v1/me', headers()))
    assert.equal(reply.status, status)
    if (status === 431) {
      assert.deepEqual(Object.keys(reply.body), ['error', 'code', 'request_id'])
      assert.equal(reply.body.request_id, reply.headers.get('x-request-id'))
      assert.equal(reply.headers.get('connection'), 'close')
    }
  })

test('a path of 20 KB is too much of a header', async () => {
  const reply = await one(requestOf(`GET /v1/charges/${'a'.repeat(20_000)}`, good('Connection: close')))
  assert.equal(reply.status, 431)
})

test('requests in one breath are answered in their order', async () => {
  const plain = (id: string) => good(`X-Request-ID: ${id}`)
  const order = (id: string) => post(plain(id)).replace('on the wire', id)
  const last = requestOf('GET /v1/charges', [...plain('last'), 'Connection: close'])
  const { answers } = await talk(
    service.url,
    requestOf('GET /v1/me', plain('a')) + order('b') + requestOf('GET /v1/nowhere', plain('c')) + order('d') + last,
  )
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('x-request-id')]),
    [
      [200, 'a'],
      [201, 'b'],
      [404, 'c'],
      [201, 'd'],
      [200, 'last'],
    ],
  )
  const charged = [answers[1]?.body.id, answers[3]?.body.id]
  const { body } = await service.client(key).get('/v1/charges?limit=2')
  assert.deepEqual(body.data.map((charge: any) => charge.id).sort(), charged.sort())
})

const DOUBLED: [string, () => string[], Refused][] = [
  ['Authorization twice', () => good(`Authorization: Bearer ${key}`), unauthorized('missing bearer token')],
  [
    'a good Authorization before a bad one',
    () => good('Authorization: Bearer sk_test_nobody'),
    unauthorized('missing bearer token'),
  ],
  [
    'a bad Authorization before a good one',
    () => ['Authorization: Basic eDp5', ...good()],
    unauthorized('missing bearer token'),
  ],
  [
    'X-Timestamp twice',
    () => good(`X-Timestamp: ${now()}`),
    badRequest('X-Timestamp must be an integer Unix timestamp'),
  ],
  ['Idempotency-Key twice', () => good('Idempotency-Key: on the wire'), KEY_TOO_LONG],
  ['a blank Idempotency-Key and a good one', () => ['Idempotency-Key:', ...good()], KEY_TOO_LONG],
  [
    'an Idempotency-Key with a control character',
    () => good().map((line) => line.replace('on the wire', 'on\u0001the wire')),
    NO_HTTP,
  ],
  [
    'an Idempotency-Key with a tab (C12)',
    () => good().map((line) => line.replace('on the wire', 'on\tthe wire')),
    badRequest('Idempotency-Key must not contain control characters'),
  ],
]

for (const [name, headers, expected] of DOUBLED)
  test(`a charge with ${name} is refused`, async () => {
    const before = await service.digest()
    assertRefused(await one(post([...headers(), 'Connection: close'])), expected)
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a request id given twice is replaced by one of ours', async () => {
  const reply = await one(requestOf('GET /v1/me', good('X-Request-ID: a', 'X-Request-ID: b', 'Connection: close')))
  assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
})

test('a request without a host, and one that expects what nobody offers, are refused like every other', async () => {
  const noHost = post(good('Connection: close')).replace('Host: gateway\r\n', '')
  for (const bytes of [noHost, post(good('Expect: a miracle', 'Connection: close'))]) {
    const reply = await one(bytes)
    assert.ok(reply.status >= 400 && reply.status < 500, String(reply.status))
    assert.deepEqual(Object.keys(reply.body ?? {}), ['error', 'code', 'request_id'])
    assert.equal(reply.body.request_id, reply.headers.get('x-request-id'))
  }
})

test('a client that waits for 100 Continue is told to go on', async () => {
  const bytes = post(good('Expect: 100-continue', 'Connection: close')).replace('on the wire', 'continued')
  const { text } = await talk(service.url, bytes)
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
})

test('after all of this the key that they carried is unused', async () => {
  const charged = await service.client(key).charge({}, { 'idempotency-key': 'on the wire' })
  assert.equal(charged.status, 201)
  assert.equal(charged.headers.get('idempotent-replayed'), null)
})

async function one(bytes: string): Promise<Reply> {
  const { answers, text } = await talk(service.url, bytes)
  assert.equal(answers.length, 1, text)
  return answers[0] as RawAnswer
}

const many = (count: number, header: string) => Array.from({ length: count }, () => header)
const chunked = (body: string, lineEnd = '\r\n') => `${body.length.toString(16)}${lineEnd}${body}\r\n0\r\n\r\n`
