import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { requestOf, talk } from './raw-socket.ts'
import { assertRefused, invalid, TOO_LARGE } from './refused.ts'

let api: Client
let key: string
const service = opened(() => startService())
prepare(async () => {
  key = (await service.merchant()).keys.test
  api = service.client(key)
})

const GOOD = JSON.stringify(CHARGE)
/** A good body with one more member in front. */
const withMember = (member: string) => `{${member},${GOOD.slice(1)}`
const nested = (depth: number) => withMember(`"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`)
const customer = (members: string) => `{"amount":5000,"channel":"op1_momo","customer":{${members}}}`
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const utf16 = Buffer.from(GOOD, 'utf16le')

const NO_JSON = invalid('body is not valid JSON')
const NO_OBJECT = invalid('body must be a JSON object')
const CONTROL = invalid('body contains control characters')
const UNICODE = invalid('body contains invalid Unicode')
const NO_UTF8 = invalid('body is not valid UTF-8')
const DEEP = invalid('body is nested too deeply')
const NO_AMOUNT = invalid('amount must be an integer')
const duplicate = (name: string) => invalid(`duplicate field ${name}`)

const REFUSED: [string, string | Buffer, ReturnType<typeof invalid>][] = [
  ['a NUL in a string', withMember('"x":"a\u0000b"'), CONTROL],
  ['an escaped NUL in a string', withMember('"x":"a\\u0000b"'), CONTROL],
  ['an escaped NUL in a name', withMember('"a\\u0000b":1'), CONTROL],
  ['an escaped backspace', withMember('"x":"\\b"'), CONTROL],
  ['DEL', withMember('"x":"\u007f"'), CONTROL],
  ['a C1 control character', withMember('"x":"\u0085"'), CONTROL],
  ['a raw tab in a string', withMember('"x":"a\tb"'), NO_JSON],
  ['a lone surrogate in bytes', bytes('{"x":"', [0xed, 0xa0, 0x80], `",${GOOD.slice(1)}`), NO_UTF8],
  ['bytes that are no UTF-8', bytes('{"x":"', [0xff, 0xfe], `",${GOOD.slice(1)}`), NO_UTF8],
  ['an overlong slash', bytes('{"x":"', [0xc0, 0xaf], `",${GOOD.slice(1)}`), NO_UTF8],
  ['an escaped high surrogate alone', withMember('"x":"\\ud83c"'), UNICODE],
  ['an escaped low surrogate alone', withMember('"x":"\\udf4c"'), UNICODE],
  ['an escaped pair the wrong way round', withMember('"x":"\\udf4c\\ud83c"'), UNICODE],
  ['a lone surrogate as a name', withMember('"\\ud83c":1'), UNICODE],
  ['a field twice', withMember('"amount":1'), duplicate('amount')],
  ['a field twice with the same value', withMember('"amount":5000'), duplicate('amount')],
  ['a field twice, once escaped', withMember('"am\\u006funt":1'), duplicate('amount')],
  ['a nested field twice', customer('"phone":"0700000000","phone":"0700000001"'), duplicate('phone')],
  ['a nested field twice, escaped', customer('"phone":"0700000000","\\u0070hone":"07"'), duplicate('phone')],
  ['a field twice in what is ignored', withMember('"x":[{"a":1,"b":{"a":1},"a":2}]'), duplicate('a')],
  ['__proto__ twice', withMember('"__proto__":1,"__proto__":2'), duplicate('__proto__')],
  ['an empty name twice', withMember('"":1,"":2'), duplicate('')],
  ['a long name twice', withMember(`"${'n'.repeat(90)}":1,"${'n'.repeat(90)}":2`), duplicate('n'.repeat(40))],
  ['33 levels', nested(33), DEEP],
  ['100,000 levels', nested(100_000), DEEP],
  ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, DEEP],
  ['100,000 levels that are never closed', '['.repeat(100_000), DEEP],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], GOOD), NO_JSON],
  ['UTF-16 with a mark', bytes([0xff, 0xfe], [...utf16]), NO_UTF8],
  ['UTF-16 without a mark', utf16, CONTROL],
  ['a comma too many', `${GOOD.slice(0, -1)},}`, NO_JSON],
  ['a comma too many in a list', withMember('"x":[1,]'), NO_JSON],
  ['a comment', `/* pay */${GOOD}`, NO_JSON],
  ['single quotes', GOOD.replaceAll('"', "'"), NO_JSON],
  ['names without quotes', '{amount:5000}', NO_JSON],
  ['half a body', GOOD.slice(0, 20), NO_JSON],
  ['two bodies', GOOD + GOOD, NO_JSON],
  ['words behind it', `${GOOD} please`, NO_JSON],
  ['only blanks', '   ', NO_JSON],
  ['a form', 'amount=5000&channel=op1_momo', NO_JSON],
  ['a list', `[${GOOD}]`, NO_OBJECT],
  ['a text', '"amount"', NO_OBJECT],
  ['a number', '5000', NO_OBJECT],
  ['true', 'true', NO_OBJECT],
  ['null', 'null', NO_OBJECT],
  ['an empty object', '{}', NO_AMOUNT],
  ['nothing at all', '', NO_AMOUNT],
  ['all of it under __proto__', `{"__proto__":${GOOD}}`, NO_AMOUNT],
  ['a phone under __proto__', customer('"__proto__":{"phone":"0700000000"}'), invalid('customer.phone is required')],
]

for (const [name, body, expected] of REFUSED)
  test(`a body with ${name} is refused: ${expected.error}`, async () => {
    const before = await service.digest()
    const idempotencyKey = { 'idempotency-key': name }
    assertRefused(await post(body, idempotencyKey), expected)
    assert.equal(await service.digest(), before, 'zero writes')
    assert.equal((await post(GOOD, idempotencyKey)).status, 201, 'its key is free')
  })

const ACCEPTED: [string, string][] = [
  ['32 levels', nested(32)],
  ['a surrogate pair, escaped', withMember('"x":"\\ud83c\\udf4c"')],
  ['escaped line ends in what is ignored', withMember('"x":"\\t\\r\\n"')],
  ['white space of every kind around it', ` \t\r\n${GOOD}\r\n`],
  ['100,000 numbers in what is ignored', withMember(`"x":[${'0,'.repeat(100_000)}0]`)],
  ['exactly 1 MiB', GOOD + ' '.repeat(1024 * 1024 - GOOD.length)],
  ['__proto__ with an amount', withMember('"__proto__":{"amount":1}')],
  ['a constructor with a prototype', withMember('"constructor":{"prototype":{"amount":1}}')],
  ['null for what is optional', GOOD.replace('}}', ',"email":null},"reference":null,"split":null}')],
  ['blanks for what is optional', GOOD.replace('}}', ',"email":" "},"reference":"","currency":""}')],
]

for (const [name, body] of ACCEPTED)
  test(`a body with ${name} makes the plain charge`, async () => {
    const reply = await post(body)
    assert.equal(reply.status, 201)
    assert.deepEqual([reply.body.amount, reply.body.reference], [5000, null])
    assert.equal(({} as any).amount, undefined, 'nothing is polluted')
  })

for (const [name, value] of Object.entries({
  id: 'txn_mine',
  fee: 0,
  net: 5000,
  status: 'succeeded',
  mode: 'live',
  merchant_id: 1,
  settled: true,
  gift_card_amount: 4000,
  rail_reference: 'mine',
  rail_transaction_id: '1',
  failure_reason: 'timeout',
  payment_link_id: 'lnk_mine',
  refund_id: 'pout_mine',
  created_at: '2020-01-01T00:00:00Z',
  completed_at: '2020-01-01T00:00:00Z',
  available_on: '2020-01-01T00:00:00Z',
  published: false,
}))
  test(`a body that says ${name} itself is not listened to`, async () => {
    const { status, body } = await api.charge({ [name]: value })
    assert.equal(status, 201)
    assert.notDeepEqual(body[name], value)
    assert.deepEqual([body.status, body.fee, body.mode, body.settled], ['authorized', 200, 'test', false])
  })

for (const type of [
  undefined,
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'application/json;',
  'application/vnd.api+json',
  'json',
  '*/*',
  ';',
  ',',
])
  test(`JSON is read as JSON when it calls itself ${type}`, async () => {
    assert.equal((await post(GOOD, { 'content-type': type })).status, 201)
    assertRefused(await post('amount=5000', { 'content-type': type }), NO_JSON)
  })

for (const [coding, body] of [
  ['gzip', gzipSync(GOOD)],
  ['deflate', deflateSync(GOOD)],
  ['br', brotliCompressSync(GOOD)],
  ['gzip', Buffer.from(GOOD)],
] as const)
  test(`a body in ${coding} is refused, whatever it holds`, async () => {
    const before = await service.digest()
    const reply = await post(body, { 'content-encoding': coding })
    assertRefused(reply, invalid('compressed bodies are not accepted'))
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a body of 10 MB is refused before it is sent, and the connection is closed', async () => {
  const before = await service.digest()
  const { answers } = await talk(service.url, requestOf('POST /v1/charges', headers('Content-Length: 10000000')))
  assertRefused(answers[0] as never, TOO_LARGE)
  assert.equal(answers[0]?.headers.get('connection'), 'close')
  assert.equal(await service.digest(), before, 'zero writes')
})

test('a chunked body without an end is refused and not read on', async () => {
  const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)
  let sent = 0
  const { answers } = await talk(
    service.url,
    requestOf('POST /v1/charges', headers('Transfer-Encoding: chunked')),
    () => {
      sent += 1
      return chunk
    },
  )
  assertRefused(answers[0] as never, TOO_LARGE)
  assert.ok(sent < 1000, `${sent} chunks of 64 KiB were taken`)
})

test('a body of more than 1 MiB meets the check of the key first', async () => {
  const anonymous = headers('Content-Length: 10000000', 'Connection: close').slice(1)
  const { answers } = await talk(service.url, requestOf('POST /v1/charges', anonymous))
  assert.equal(answers[0]?.status, 401)
})

const headers = (...more: string[]) => [
  `Authorization: Bearer ${key}`,
  `X-Timestamp: ${Math.floor(service.clock.nowMs() / 1000)}`,
  'Idempotency-Key: raw',
  'Content-Type: application/json',
  ...more,
]

/** A POST of these very bytes; `undefined` leaves a header out. */
async function post(body: string | Buffer, more: Record<string, string | undefined> = {}): Promise<Reply> {
  const given = Object.entries({
    authorization: `Bearer ${key}`,
    'x-timestamp': String(Math.floor(service.clock.nowMs() / 1000)),
    'idempotency-key': randomUUID(),
    'content-type': 'application/json',
    ...more,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const reply = await fetch(`${service.url}/v1/charges`, {
    method: 'POST',
    headers: given,
    body: Buffer.from(body),
  })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text, body: JSON.parse(text) }
}
