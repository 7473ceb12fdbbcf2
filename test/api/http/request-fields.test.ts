import assert from 'node:assert/strict'
import test from 'node:test'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Client, startService } from '../../helpers/service/test-service.ts'
import { assertRefused, invalid } from './refused.ts'

let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
})

const FIELDS: [string, (text: string) => Record<string, unknown>][] = [
  ['currency', (currency) => ({ currency })],
  ['channel', (channel) => ({ channel })],
  ['customer.phone', (phone) => ({ customer: { phone } })],
  ['customer.email', (email) => ({ customer: { ...CHARGE.customer, email } })],
  ['reference', (reference) => ({ reference })],
  ['an unknown field', (note) => ({ note })],
]
const UNFIT: [string, string][] = [
  ['a NUL', '\u0000'],
  ['a start of heading', '\u0001'],
  ['an escape', '\u001b'],
  ['a DEL', '\u007f'],
  ['a C1 control', '\u0085'],
  ['a lone surrogate', '\ud83c'],
]
const TYPED: [string, string][] = [
  ['a tab', '\t'],
  ['a line feed', '\n'],
  ['a carriage return', '\r'],
]

for (const [field, bodyWith] of FIELDS)
  test(`no control character and no half character passes in ${field}`, async () => {
    const before = await service.digest()
    // Where nobody reads the field, line ends do no harm.
    const unfit = field === 'an unknown field' ? UNFIT : [...UNFIT, ...TYPED]
    for (const [name, character] of unfit) {
      const { status, body } = await api.charge(bodyWith(`a${character}@b`))
      assert.deepEqual([status, body.code], [400, 'bad_request'], name)
      assert.match(body.error, /^invalid request: /, name)
    }
    assert.equal(await service.digest(), before, 'zero writes')
  })

const long = (length: number, letter: string) => letter.repeat(length)
const LENGTHS: [string, Record<string, unknown>, string | null][] = [
  ['a reference of 255 characters', { reference: long(255, 'r') }, null],
  ['a reference of 255 characters of four bytes', { reference: long(255, '🍌') }, null],
  ['a reference of 256 characters', { reference: long(256, 'r') }, 'reference must be at most 255 characters'],
  ['a reference of 256 wide ones', { reference: long(256, '🍌') }, 'reference must be at most 255 characters'],
  ['a reference of 50 KB', { reference: long(50_000, 'r') }, 'reference must be at most 255 characters'],
  ['an email of 254', { customer: { ...CHARGE.customer, email: `${long(249, 'e')}@b.ug` } }, null],
  [
    'an email of 255',
    { customer: { ...CHARGE.customer, email: `${long(250, 'e')}@b.ug` } },
    'customer.email must be at most 254 characters',
  ],
  ['a phone of 50 KB', { customer: { phone: long(50_000, '7') } }, 'customer.phone is not a valid phone number'],
  ['a phone of 50 KB of blanks and nine digits', { customer: { phone: `${long(50_000, ' ')}700000000` } }, null],
  [
    'a channel of 50 KB',
    { channel: long(50_000, 'c') },
    `channel must be one of op1_momo, op2_money, card (got ${long(40, 'c')})`,
  ],
]

for (const [name, body, problem] of LENGTHS)
  test(`${name} ${problem === null ? 'passes whole' : 'is refused, never cut'}`, async () => {
    const reply = await api.charge(body)
    if (problem !== null) return assertRefused(reply, invalid(problem))
    assert.equal(reply.status, 201)
    if (body.reference) assert.equal(reply.body.reference, body.reference)
  })

for (const reference of [
  'order_2026_07_01_A-17',
  ' blanks stay ',
  'Ωmega 日本語 ትእዛዝ',
  '🍌👩‍👩‍👧',
  'cafe\u0301',
  'caf\u00e9',
  'left\u202eright',
  'zero\u200bwidth',
  'no\u00a0break',
  '\u2028separator',
  "'; drop table charges; --",
  '<script>alert(1)</script>',
  '%00%0a\\u0000\\n',
  '100% _sure_ \\',
  '"quoted"',
  '{"json":true}',
  'null',
])
  test(`the reference ${JSON.stringify(reference)} is kept as it came and found by itself`, async () => {
    const { status, body } = await api.charge({ reference })
    assert.equal(status, 201)
    assert.equal(body.reference, reference)
    const found = await api.get(`/v1/charges?reference=${encodeURIComponent(reference)}`)
    assert.deepEqual(
      found.body.data.map((charge: any) => [charge.id, charge.reference]),
      [[body.id, reference]],
    )
  })

const PHONES: [string, string][] = [
  ['0700000000', '256700000000'],
  ['700000000', '256700000000'],
  ['256700000000', '256700000000'],
  ['+256700000000', '256700000000'],
  ['00256700000000', '256700000000'],
  ['+256 700 000 000', '256700000000'],
  ['+256-700-000-000', '256700000000'],
  ['(0700) 000.000', '256700000000'],
  ['  0700 000000  ', '256700000000'],
  ['+256 (0) 700 000 000', '256700000000'],
  ['+254 712 345 678', '254712345678'],
  ['+44 20 7946 0958', '442079460958'],
  ['00442079460958', '442079460958'],
  ['123456789012345', '123456789012345'],
]

for (const [written, stored] of PHONES)
  test(`the phone ${written} is stored as ${stored} and found in every form`, async () => {
    const own = service.client((await service.merchant()).keys.test)
    const { status, body } = await own.charge({ customer: { phone: written } })
    assert.equal(status, 201)
    const rows = await service.rows('select phone from charges where id = $1', [body.id])
    assert.deepEqual(rows, [{ phone: stored }])
    for (const form of [written, stored, `+${stored}`, stored.slice(-9)])
      assert.equal(
        (await own.get(`/v1/charges?phone=${encodeURIComponent(form)}`)).body.data.length,
        1,
        `looked for as ${form}`,
      )
  })

const NO_PHONES = [
  '12345678',
  '1234567890123456',
  '+',
  '-',
  '07000o0000',
  '0700000000 ext 5',
  '0700,000000',
  '0700/000000',
  '++256700000000',
  '256+700000000',
  '0700000000+',
  'tel:0700000000',
  '0700000000%',
  '0x700000000',
  '7e8000000000',
  '-700000000x',
  '0700\u00a0000000',
  '0700\u2009000000',
  '0700\u200b000000',
  '0700000000\u200e',
  '\u202a0700000000',
  '０７００００００００',
  '٠٧٠٠٠٠٠٠٠٠',
  '०७००००००००',
  '0700\u2013000\u2013000',
  '\uff0b256700000000',
  '0700000𝟶𝟶𝟶',
  '07①①①①①①①①',
]

for (const phone of NO_PHONES)
  test(`${JSON.stringify(phone)} is no phone number`, async () => {
    const before = await service.digest()
    assertRefused(await api.charge({ customer: { phone } }), invalid('customer.phone is not a valid phone number'))
    assert.equal(await service.digest(), before, 'zero writes')
  })

for (const email of ['a@b', 'Jane.Doe+shop@Example.UG', 'ömer@bücher.example', 'a b@c', '"x"@y'])
  test(`${email} is an email address and is kept`, async () => {
    const { status, body } = await api.charge({ customer: { ...CHARGE.customer, email } })
    assert.equal(status, 201)
    assert.deepEqual(await service.rows('select email from charges where id = $1', [body.id]), [{ email }])
  })

for (const email of ['a', '@', '@b', 'a@', 'a@@b', 'a@b@c', '@@'])
  test(`${email} is no email address`, async () => {
    assertRefused(
      await api.charge({ customer: { ...CHARGE.customer, email } }),
      invalid('customer.email is not a valid email address'),
    )
  })

for (const phone of ['', '   ', null, undefined])
  test(`a phone of ${JSON.stringify(phone)} is missing`, async () => {
    assertRefused(await api.charge({ customer: { phone } }), invalid('customer.phone is required'))
  })
