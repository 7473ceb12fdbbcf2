import assert from 'node:assert/strict'
import test from 'node:test'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isWebAddress, PaymentLinkCreateShape, parseLinkCreate } from './link-request.ts'

/** Reads a body as the route and then the operation do. */
const read = (body: unknown) => parseLinkCreate(parseBody(PaymentLinkCreateShape, body))
const problemOf = (body: unknown): string => {
  try {
    read(body)
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.deepEqual([error.status, error.code, error.stored], [400, 'bad_request', false])
    return error.message
  }
  return 'nothing'
}

for (const address of [
  'http://shop.example',
  'https://shop.example/thanks?order=1&paid=%C3%A9#top',
  'HTTPS://Shop.Example:8443/Thanks',
  'https://shop.example?to=https://other.example/@somebody',
  'https://shop.example/@somebody/a\\b',
  'https://127.0.0.1/x',
  'http://[::1]:3000/',
  'http://localhost:3000/thanks',
  'https://dükkan.example/teşekkürler',
])
  test(`${address} is a web address`, () => assert.equal(isWebAddress(address), true))

for (const text of [
  'shop.example',
  'www.shop.example/thanks',
  '/thanks',
  'thanks',
  '//shop.example/thanks',
  '\\\\shop.example',
  'https:shop.example',
  'https:/shop.example',
  'https:///shop.example',
  'https:\\\\shop.example',
  'https://',
  'https://?a=1',
  'https://#top',
  ' https://shop.example',
  '\u00a0https://shop.example',
  'https://bank.example@shop.example',
  'https://bank.example:secret@shop.example/',
  'https://@shop.example',
  'https://bank.example\\@shop.example',
  'https://shop example/',
  'https://shop.example:99999',
  'https://shop.example:x',
  'https://[::1',
  'javascript:alert(1)',
  'JavaScript://shop.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'ftp://shop.example',
  'httpss://shop.example',
  'mailto:a@shop.example',
])
  test(`${JSON.stringify(text)} is no web address`, () => assert.equal(isWebAddress(text), false))

test('a field that is absent, null or blank gets its default, and unknown fields are ignored', () => {
  const bare = {
    amount: 5000,
    currency: 'UGX',
    description: null,
    reference: null,
    successUrl: null,
    cancelUrl: null,
    allowMultipleUses: false,
    metadata: null,
  }
  const fields = [
    'currency',
    'description',
    'reference',
    'success_url',
    'cancel_url',
    'allow_multiple_uses',
    'metadata',
  ]
  assert.deepEqual(read({ amount: 5000 }), bare)
  assert.deepEqual(read({ amount: 5000, ...Object.fromEntries(fields.map((name) => [name, null])) }), bare)
  const texts = fields.slice(0, 5).map((name) => [name, ' \u00a0 '])
  assert.deepEqual(read({ amount: 5000, ...Object.fromEntries(texts) }), bare)
  assert.deepEqual(read({ amount: 5e3, channel: 7, customer: 'x', items: [] }), bare)
})

test('given values are kept to the character', () => {
  const given = {
    amount: 5000,
    currency: 'UGX',
    description: 'Eggs\n\ttwo trays – 30 🥚 ',
    reference: ' order_1 ',
    success_url: 'https://Shop.example/a b?x=1&amp;y=é',
    cancel_url: 'http://shop.example',
    allow_multiple_uses: true,
  }
  assert.deepEqual(read(given), {
    amount: 5000,
    currency: 'UGX',
    description: given.description,
    reference: given.reference,
    successUrl: given.success_url,
    cancelUrl: given.cancel_url,
    allowMultipleUses: true,
    metadata: null,
  })
})

test('of several faults the first in the order of the fields is reported', () => {
  const faults: [string, unknown, string][] = [
    ['amount', 'x', 'amount must be an integer'],
    ['currency', 7, 'currency must be a string'],
    ['description', 'd'.repeat(1001), 'description must be at most 1000 characters'],
    ['reference', 'a\tb', 'reference contains control characters'],
    ['success_url', 'javascript:1', 'success_url must be an http or https URL'],
    ['cancel_url', `https://x/${'c'.repeat(2039)}`, 'cancel_url must be at most 2048 characters'],
    ['allow_multiple_uses', 'true', 'allow_multiple_uses must be true or false'],
  ]
  for (const [at, [, , problem]] of faults.entries()) {
    const body = {
      amount: 5000,
      ...Object.fromEntries(faults.slice(at).map(([name, value]) => [name, value])),
    }
    assert.equal(problemOf(body), `invalid request: ${problem}`)
  }
})

for (const field of ['success_url', 'cancel_url'])
  test(`${field} is a text of at most 2048 characters without control characters that is an address`, () => {
    const problem = (value: unknown) => problemOf({ amount: 5000, [field]: value })
    const long = (length: number) => `https://x/${'a'.repeat(length - 10)}`
    assert.equal(problem(long(2048)), 'nothing')
    assert.equal(problem(long(2049)), `invalid request: ${field} must be at most 2048 characters`)
    assert.equal(problem('https://x/\n'), `invalid request: ${field} contains control characters`)
    assert.equal(problem('https://x/\u0085'), `invalid request: ${field} contains control characters`)
    for (const other of [7, true, {}, ['https://x']])
      assert.equal(problem(other), `invalid request: ${field} must be a string`)
    assert.equal(problem('//x'), `invalid request: ${field} must be an http or https URL`)
  })

test('allow_multiple_uses accepts only true and false', () => {
  for (const value of [0, 1, 'true', 'yes', '', [], {}])
    assert.equal(
      problemOf({ amount: 5000, allow_multiple_uses: value }),
      'invalid request: allow_multiple_uses must be true or false',
    )
})
