import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parseBulkItem } from './bulk-item.ts'

const PHONE = '0700000000'
const GOOD = { amount: 5000, recipient: { phone: PHONE, name: 'Akello' }, channel: 'card', reference: 'r-1' }
const PLAIN = { amount: 5000, phone: '256700000000', name: null, channel: 'op1_momo', reference: null }
const read = (fields: unknown) => parseBulkItem({ fields }, 7, 'op1_momo')

const READ: [string, unknown, Record<string, unknown>][] = [
  ['every field', GOOD, { name: 'Akello', channel: 'card', reference: 'r-1' }],
  ['only what is required', { amount: 5000, recipient: { phone: PHONE } }, {}],
  ['a flat recipient', { amount: 5000, phone: PHONE, name: 'Okot' }, { name: 'Okot' }],
  [
    'both, of which the nested wins',
    { ...GOOD, phone: '0711111111', name: 'Okot', channel: null, reference: ' ' },
    { name: 'Akello' },
  ],
  ['a nested phone and a flat name', { amount: 5000, recipient: { phone: PHONE }, name: 'Okot' }, { name: 'Okot' }],
  [
    'a nested name and a flat phone',
    { amount: 5000, recipient: { name: 'Okot', phone: '' }, phone: PHONE },
    { name: 'Okot' },
  ],
  ['a recipient of null', { amount: 5000, recipient: null, phone: PHONE }, {}],
  ['null and blanks for what is optional', { amount: 5000, phone: PHONE, name: '', channel: ' ', reference: null }, {}],
  ['a phone written with spaces', { amount: 5000, phone: ' +256 (700) 000-000 ' }, {}],
  ['an amount of 0', { amount: 0, phone: PHONE }, { amount: 0 }],
  ['an amount of -0', { amount: -0, phone: PHONE }, { amount: 0 }],
  ['a negative amount', { amount: -5, phone: PHONE }, { amount: -5 }],
  ['an amount above every ceiling', { amount: 1e30, phone: PHONE }, { amount: 1e30 }],
  ['an amount beyond all numbers', JSON.parse(`{"amount":1e999,"phone":"${PHONE}"}`), { amount: Number.MAX_VALUE }],
  ['an amount below all numbers', JSON.parse(`{"amount":-1e999,"phone":"${PHONE}"}`), { amount: -Number.MAX_VALUE }],
  ['an unknown channel', { amount: 5000, phone: PHONE, channel: 'x'.repeat(200) }, { channel: 'x'.repeat(200) }],
  [
    'the longest texts',
    { amount: 5000, phone: PHONE, name: '😀'.repeat(200), reference: 'é'.repeat(255) },
    { name: '😀'.repeat(200), reference: 'é'.repeat(255) },
  ],
  ['fields that nobody knows', { amount: 5000, phone: PHONE, fee: 0, currency: 'USD' }, {}],
]

for (const [name, fields, expected] of READ)
  test(`an item with ${name} is read`, () => {
    deepEqual(read(fields), { ok: true, index: 7, ...PLAIN, ...expected })
  })

const NO_AMOUNT = 'amount must be an integer'
const NO_PHONE = 'recipient.phone is required'
const BAD_PHONE = 'recipient.phone is not a valid phone number'
const with_ = (more: object) => ({ amount: 5000, phone: PHONE, ...more })

const REFUSED: [string, unknown, string][] = [
  ['null', null, 'item must be an object'],
  ['a text', 'item', 'item must be an object'],
  ['a number', 5000, 'item must be an object'],
  ['a list', [GOOD], 'item must be an object'],
  ['nothing in it', {}, NO_AMOUNT],
  ['no amount', { phone: PHONE }, NO_AMOUNT],
  ['an amount of null', with_({ amount: null }), NO_AMOUNT],
  ['a text as amount', with_({ amount: '5000' }), NO_AMOUNT],
  ['a broken amount', with_({ amount: 5000.5 }), NO_AMOUNT],
  ['true as amount', with_({ amount: true }), NO_AMOUNT],
  ['a list as amount', with_({ amount: [5000] }), NO_AMOUNT],
  ['no recipient', { amount: 5000 }, NO_PHONE],
  ['an empty recipient', { amount: 5000, recipient: {} }, NO_PHONE],
  ['a blank phone', { amount: 5000, recipient: { phone: ' ' } }, NO_PHONE],
  ['a phone of null', with_({ phone: null }), NO_PHONE],
  ['a number as phone', with_({ phone: 700000000 }), 'recipient.phone must be a string'],
  ['a short phone', with_({ phone: '1234' }), BAD_PHONE],
  ['a word as phone', with_({ phone: 'Akello' }), BAD_PHONE],
  ['a nested phone that is bad beside a good flat one', with_({ recipient: { phone: '1' } }), BAD_PHONE],
  ['a NUL in the phone', with_({ phone: `${PHONE}\u0000` }), 'recipient.phone contains control characters'],
  ['a text as recipient', with_({ recipient: PHONE }), 'recipient must be an object'],
  ['a list as recipient', with_({ recipient: [PHONE] }), 'recipient must be an object'],
  ['a number as name', with_({ name: 5 }), 'recipient.name must be a string'],
  ['a long name', with_({ name: 'n'.repeat(201) }), 'recipient.name must be at most 200 characters'],
  ['a line feed in the name', with_({ name: 'a\nb' }), 'recipient.name contains control characters'],
  ['a number as channel', with_({ channel: 1 }), 'channel must be a string'],
  ['a long channel', with_({ channel: 'x'.repeat(201) }), 'channel must be at most 200 characters'],
  ['a NUL in the channel', with_({ channel: '\u0000' }), 'channel contains control characters'],
  ['a number as reference', with_({ reference: 7 }), 'reference must be a string'],
  ['a long reference', with_({ reference: 'r'.repeat(256) }), 'reference must be at most 255 characters'],
  ['a tab in the reference', with_({ reference: 'a\tb' }), 'reference contains control characters'],
  ['a number in its metadata', with_({ metadata: { n: 1 } }), 'metadata.n must be a string; write it in quotes: "1"'],
  ['several faults', { amount: 'x', phone: '1', name: 1, channel: 1, reference: 1 }, NO_AMOUNT],
  ['all faults but the amount', { amount: 1, phone: '1', name: 1, channel: 1, reference: 1 }, BAD_PHONE],
  ['faults from the name on', with_({ name: 1, channel: 1, reference: 1 }), 'recipient.name must be a string'],
  ['faults from the channel on', with_({ channel: 1, reference: 1 }), 'channel must be a string'],
]

for (const [name, fields, problem] of REFUSED)
  test(`an item with ${name} fails: ${problem}`, () => {
    deepEqual(read(fields), { ok: false, index: 7, reference: null, error: `invalid item: ${problem}` })
  })

test('an item that fails keeps its reference, unless the reference is the fault', () => {
  const referenceOf = (reference: unknown) => read({ amount: 'x', reference }).reference
  equal(referenceOf('r-1'), 'r-1')
  for (const bad of [undefined, null, '', ' ', 7, {}, 'a\u0000', 'r'.repeat(256)]) equal(referenceOf(bad), null)
})

test('an item whose row cannot be read says so', () => {
  deepEqual(parseBulkItem({ problem: 'row has 1 cell, the header has 2' }, 3, 'op1_momo'), {
    ok: false,
    index: 3,
    reference: null,
    error: 'invalid item: row has 1 cell, the header has 2',
  })
})
