import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import test from 'node:test'
import { type InnerList, parseDictionary } from 'structured-headers'
import { buildSignatureBase } from './signature-base.ts'

const HEADERS = {
  Host: 'example.com',
  Date: 'Tue, 20 Apr 2021 02:07:55 GMT',
  'Content-Type': 'application/json',
  'Content-Length': '18',
}
const TARGET = '/foo?param=Value&Pet=dog'

const request = (headers: Record<string, string> = HEADERS, method = 'POST') =>
  ({
    method,
    headers: { host: headers.Host },
    rawHeaders: Object.entries(headers).flat(),
  }) as unknown as IncomingMessage
const covered = (input: string) => parseDictionary(`sig=${input}`).get('sig') as InnerList
const base = (input: string, target = TARGET, of = request()) => buildSignatureBase(of, target, covered(input))

test('the example of RFC 9421 (B.2.6) is verified by its public key', () => {
  const text = base(
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  )
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
    format: 'jwk',
  })
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='
  assert.ok(verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64')))
  assert.equal(verify(null, Buffer.from(`${text} `), key, Buffer.from(signature, 'base64')), false)
})

test('each component has its value, a header that came twice both, and a request without a query the mark alone', () => {
  const lines = (input: string, target?: string, of?: IncomingMessage) =>
    base(input, target, of).split('\n').slice(0, -1)
  assert.deepEqual(lines('("@method" "@path" "@query" "@request-target")'), [
    '"@method": POST',
    '"@path": /foo',
    '"@query": ?param=Value&Pet=dog',
    `"@request-target": ${TARGET}`,
  ])
  assert.deepEqual(lines('("@path" "@query")', '/v1/me'), ['"@path": /v1/me', '"@query": ?'])
  const twice = { ...request(), rawHeaders: ['X-A', ' 1 ', 'x-a', '2'] } as IncomingMessage
  assert.deepEqual(lines('("x-a")', '/', twice), ['"x-a": 1, 2'])
})

for (const [why, input, message] of [
  ['a header that did not come', '("x-none")', /the header "x-none" is signed and was not sent/],
  ['a component that is not known', '("@target-uri")', /"@target-uri" is not supported/],
  ['a component with a parameter', '("date";sf)', /parameters of components are not supported/],
  ['a component that is no string', '(7)', /not a string/],
  ['a component twice', '("date" "date")', /listed twice/],
] as const)
  test(`${why} is refused`, () => {
    assert.throws(() => base(input), { message })
  })
