import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReport } from './report.ts'

const form = { reason: 'not_delivered', details: 'Nothing came.', contact: '0772 123 456' }
const read = (change: Record<string, string>) => parseReport({ ...form, ...change })

test('a report is read as it was typed', () => {
  assert.deepEqual(parseReport(form), form)
  assert.deepEqual(parseReport({ ...form, extra: 'x' }), form)
  for (const reason of ['not_delivered', 'wrong_amount', 'double_charge', 'other'])
    assert.equal((read({ reason }) as typeof form).reason, reason)
})

test('details and contact may be left out or blank', () => {
  const bare = { reason: 'other', details: null, contact: null }
  assert.deepEqual(parseReport({ reason: 'other' }), bare)
  assert.deepEqual(parseReport({ reason: 'other', details: '', contact: '' }), bare)
  assert.deepEqual(parseReport({ reason: 'other', details: ' \r\n\t ', contact: '   ' }), bare)
})

test('a reason must be exactly one of four', () => {
  for (const reason of ['', 'fraud', 'Other', ' other', 'other ', 'constructor', '__proto__'])
    assert.equal(read({ reason }), 'reason', reason)
  assert.equal(parseReport({}), 'reason')
  assert.equal(parseReport({ details: 'x' }), 'reason')
})

test('texts up to the limit are accepted, counted in characters, and never cut', () => {
  for (const one of ['x', 'é', '😀', '\n']) {
    const details = `x${one.repeat(1999)}`
    assert.equal((read({ details }) as typeof form).details, details)
    assert.equal(read({ details: `${details}x` }), 'details')
  }
  const contact = '😀'.repeat(160)
  assert.equal((read({ contact }) as typeof form).contact, contact)
  assert.equal(read({ contact: `${contact}x` }), 'contact')
})

test('a line break that a browser sends as two characters counts as one', () => {
  assert.equal((read({ details: 'a\r\nb\tc\n' }) as typeof form).details, 'a\nb\tc\n')
  assert.equal((read({ details: 'x\r\n'.repeat(1000) }) as typeof form).details?.length, 2000)
})

test('control characters and lone surrogates are faults', () => {
  for (const wrong of ['\0', '\x07', '\x1b[2J', '\r', '\x7f', '\x9b31m', '\ud83d', '\udc00x']) {
    assert.equal(read({ details: `a${wrong}b` }), 'details', JSON.stringify(wrong))
    assert.equal(read({ contact: `a${wrong}b` }), 'contact', JSON.stringify(wrong))
  }
  for (const line of ['\n', '\t', '\r\n']) assert.equal(read({ contact: `a${line}b` }), 'contact')
})

test('the first fault in the order of the form is reported', () => {
  const card = '4111111111111111'
  assert.equal(parseReport({ reason: '', details: '\0', contact: card }), 'reason')
  assert.equal(parseReport({ reason: 'other', details: '\0', contact: '\0' }), 'details')
  assert.equal(parseReport({ reason: 'other', details: card, contact: '\0' }), 'contact')
})

// Test numbers published by the card schemes, in the forms in which people write them.
const CARDS = [
  '4111111111111111',
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  '4111 - 1111 - 1111 - 1111',
  '4111\u00a01111\u00a01111\u00a01111',
  '4111\u20131111\u20131111\u20131111',
  'my card 4111 1111 1111 1111, please',
  'x4111111111111111x',
  '4111 1111 1111 1111 12/29 123',
  'order 7 4111 1111 1111 1111',
  '4222222222222',
  '378282246310005',
  '3782 822463 10005',
  '5555555555554444',
  '6011000990139424',
  '4000000000000000006',
  'first line\n4111 1111 1111 1111\nlast line',
]
const NO_CARDS = [
  '4111111111111112',
  '4111 1111 1111 1112',
  '411111111111', // twelve digits
  '41111111111111111111111', // more than nineteen in one
  '0772123456 0701234567', // two phones
  '+256 772 123 456, +256 701 234 567',
  '0772123456\n4111',
  '4111.1111.1111.1111',
  'txn_4111a1111b1111c1111',
  '2026-03-10 12:30:00, UGX 125,000',
]

for (const text of CARDS)
  test(`a payment card's number is refused in both texts: ${JSON.stringify(text)}`, () => {
    assert.equal(read({ details: text }), 'card_number')
    assert.equal(read({ contact: text.replaceAll('\n', ' ') }), 'card_number')
  })

for (const text of NO_CARDS)
  test(`this is no payment card's number: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(read({ details: text, contact: '' }), { ...form, details: text, contact: null })
  })

test('two thousand characters of anything are checked quickly', () => {
  const started = performance.now()
  for (const details of [
    '1 '.repeat(1000),
    '1'.repeat(2000),
    '1-  '.repeat(500),
    ' '.repeat(1999),
    `1${' '.repeat(1998)}x`,
  ])
    parseReport({ reason: 'other', details })
  assert.ok(performance.now() - started < 500)
})
