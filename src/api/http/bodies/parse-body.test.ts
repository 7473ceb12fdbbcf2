import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { parseBody, parseBodyPart } from './parse-body.ts'

const Recipients = Type.Object({
  amount: Type.Integer(),
  recipients: Type.Array(
    Type.Object({
      phone: Type.String({ format: 'phone' }),
      name: Type.Optional(Type.String({ maxLength: 5 })),
    }),
  ),
})
const PHONE = { phone: '0700000000' }
const refused = (problem: string) => ({
  status: 400,
  code: 'bad_request',
  stored: false,
  message: `invalid request: ${problem}`,
})

const FAULTS: [unknown, string][] = [
  [undefined, 'recipients is required'],
  [null, 'recipients is required'],
  ['0700000000', 'recipients must be a list'],
  [{ 0: PHONE }, 'recipients must be a list'],
  ['', 'recipients must be a list'],
  [['0700000000'], 'recipients[0] must be an object'],
  [[PHONE, null], 'recipients[1] must be an object'],
  [[PHONE, [PHONE]], 'recipients[1] must be an object'],
  [[{}], 'recipients[0].phone is required'],
  [[PHONE, { phone: ' ' }], 'recipients[1].phone is required'],
  [[PHONE, { phone: 700000000 }], 'recipients[1].phone must be a string'],
  [[{ phone: '12' }], 'recipients[0].phone is not a valid phone number'],
  [[{ ...PHONE, name: 'abcdef' }], 'recipients[0].name must be at most 5 characters'],
  [[{ ...PHONE, name: 'a\u0000' }], 'recipients[0].name contains control characters'],
  [[{ name: 'abcdef' }, {}], 'recipients[0].phone is required'],
]

for (const [recipients, problem] of FAULTS)
  test(`a list of ${JSON.stringify(recipients)} is refused: ${problem}`, () => {
    throws(() => parseBody(Recipients, { amount: 1, recipients }), refused(problem))
  })

test('a list of objects is read entry by entry: normalised, without blanks and unknown fields', () => {
  const recipients = [
    { phone: '0700-000 001', name: '😀😀😀😀😀', sort: 1 },
    { phone: '+256700000002', name: ' ' },
  ]
  deepEqual(parseBody(Recipients, { amount: 1, recipients }).recipients, [
    { phone: '256700000001', name: '😀😀😀😀😀' },
    { phone: '256700000002' },
  ])
})

test('an empty list is a valid list', () => {
  deepEqual(parseBody(Recipients, { amount: 1, recipients: [] }).recipients, [])
})

test('a list of any values is read unchanged', () => {
  const split = [1, null, { phone: 'x' }, [2]]
  equal(parseBody(Type.Object({ split: Type.Array(Type.Unknown()) }), { split }).split, split)
})

test('lengths are counted in characters, not in UTF-16 units', () => {
  const shape = Type.Object({ name: Type.String({ maxLength: 5 }) })
  const problem = 'name must be at most 5 characters'
  for (const name of ['abcde', '😀😀😀😀😀', 'a😀😀😀😀']) equal(parseBody(shape, { name }).name, name)
  for (const name of ['abcdef', '😀😀😀😀😀😀', 'a😀😀😀😀b', 'a'.repeat(4_000_000)])
    throws(() => parseBody(shape, { name }), refused(problem))
})

test('a part with a check of its own reports its fault instead of refusing the body', () => {
  deepEqual(parseBodyPart(Recipients, { amount: 1, recipients: [PHONE] }), {
    ok: true,
    value: { amount: 1, recipients: [{ phone: '256700000000' }] },
  })
  deepEqual(parseBodyPart(Recipients, { amount: '1' }), { ok: false, problem: 'amount must be an integer' })
  const broken = {
    get amount(): number {
      throw new RangeError('ours')
    },
  }
  throws(() => parseBodyPart(Recipients, broken), RangeError)
  ok(parseBodyPart(Recipients, { amount: 0, recipients: [] }).ok)
})

test('a raw field is passed on as it came, absent or not, and the fields after it are still read', () => {
  const shape = Type.Object({
    goods: Type.Array(Type.Object({ spbh: Type.String() }), { raw: true }),
    name: Type.String({ raw: true }),
    note: Type.Optional(Type.String()),
  })
  deepEqual(parseBody(shape, { goods: [{ kept: 1 }], name: ' ', note: ' ' }), {
    goods: [{ kept: 1 }],
    name: ' ',
  })
  deepEqual(parseBody(shape, { goods: null }), { goods: null, name: undefined })
  throws(() => parseBody(shape, { note: 7 }), refused('note must be a string'))
})
