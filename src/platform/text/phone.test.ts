import { equal, match, ok } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { Refusal } from '../refusal.ts'
import { lastNine, maskPhone, parsePhone, requirePhone } from './phone.ts'

const seed = randomInt(2 ** 31)
console.log(`phone.test.ts seed ${seed}`)

test('each written form has its one stored form', () => {
  const cases: [string, string | null][] = [
    ['0700123456', '256700123456'],
    ['700123456', '256700123456'],
    ['256700123456', '256700123456'],
    ['+256700123456', '256700123456'],
    ['00256700123456', '256700123456'],
    [' +256 (700) 123-456 ', '256700123456'],
    ['(+256) 700.123.456', '256700123456'],
    ['+256 (0) 700 123 456', '256700123456'],
    ['+254 712 345678', '254712345678'],
    ['+49 1512 3456789', '4915123456789'],
    ['123456789012345', '123456789012345'],
    ['1234567890123456', null],
    ['12345678', null],
    ['', null],
    ['+', null],
    ['   ', null],
    ['++256700123456', null],
    ['256+700123456', null],
    ['+00256700123456', null],
    ['0256700123456', null],
    ['0700123456x', null],
    ['0700/123456', null],
    ['0700\u00a0123456', null],
    ['0700\u200b123456', null],
    ['\u202a0700123456', null],
    ['0700\t123456', null],
    ['0700123456\n', null],
    ['０７００１２３４５６', null],
    ['٠٧٠٠١٢٣٤٥٦', null],
    ['0700123456\u0301', null],
    ['0700\u2013123456', null],
    ['0700.123.000', '256700123000'],
    ['+256.700.00.00.00', '256700000000'],
    ['(0700) 000.000', '256700000000'],
    ['772 123 456.00', null],
    ['0700.000000', null],
    ['256772123456.0', null],
    ['772123456.0', null],
    ['0772123456.00', null],
    ['+256772123456.000', null],
    ['77212345.0', null],
    ['7721234.00', null],
    ['7721234.00 ', null],
    ['(77212345).0', null],
    ['77212345.6', null],
    ['0772123456.', null],
    ['256.772.123.456.0', null],
    ['2.56772E+11', null],
    ['25677212345', null],
    ['2567721234567', null],
    ['00256772123', null],
    ['256772123', null],
    ['256256772123456', null],
  ]
  for (const [text, expected] of cases) equal(parsePhone(text), expected, JSON.stringify(text))
})

test('what a spreadsheet has done to a number is said, and what is missing behind the country', () => {
  const spreadsheet = /^x is not a valid phone number: a spreadsheet .* decimal number of it; keep phones as text/
  const said = (text: string) => {
    try {
      return requirePhone(text, 'x')
    } catch (error) {
      ok(error instanceof Refusal)
      return error.message.replace('invalid request: ', '')
    }
  }
  for (const text of ['772123456.0', '772123456.00', '0772123456.', '2.56772E+11', '7.72123456e8'])
    match(said(text), spreadsheet, text)
  for (const text of ['25677212345', '+256 772 1234567', '00256772123'])
    equal(said(text), 'x is not a valid phone number: behind 256 come nine digits')
  for (const text of ['07', 'x.0', '0772e', `1.${'0'.repeat(99_999)}`, `1.${' '.repeat(99_999)}e`])
    equal(said(text), 'x is not a valid phone number')
  equal(said('0772 123 456'), '256772123456')
})

const national = fc.tuple(fc.constantFrom('70', '74', '75', '76', '77', '78'), fc.nat(9_999_999))
const subscriber = national.map(([start, rest]) => start + String(rest).padStart(7, '0'))
const lead = fc.constantFrom('', '0', '256', '+256', '00256', '+ 256 ', '(+256)', '+256 (0)', '(0)')
const gaps = fc.array(fc.constantFrom('', '', ' ', '-', '.', ') ('), { minLength: 9, maxLength: 9 })

test('libphonenumber reads the same subscriber from every written form of a Ugandan number', () => {
  const agrees = fc.property(subscriber, lead, gaps, (nine, start, between) => {
    const written = start + [...nine].map((digit, at) => digit + (between[at] ?? '')).join('')
    // One dot before zeros, or one before the last digit, may be a fraction.
    fc.pre(!/\.[^0-9.]*[0-9]?[^0-9.]*$|^[^.]*\.[^1-9]*$/.test(written))
    const stored = parsePhone(written)
    equal(stored, `256${nine}`, written)
    equal(lastNine(stored), nine)
    const theirs = parsePhoneNumberFromString(written.replace(/[^0-9+]/g, '').replace(/^00/, '+'), 'UG')
    if (theirs?.isValid()) equal(theirs.number, `+${stored}`, written)
    equal(theirs?.country ?? 'UG', 'UG')
  })
  fc.assert(agrees, { seed, numRuns: 1000 })
})

test('a stored form is digits, stays as it is, and is idempotent', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789+ -().x\u00a0٣'), maxLength: 24 })
  const holds = fc.property(text, (written) => {
    const stored = parsePhone(written)
    if (stored === null) return
    ok(/^[0-9]{10,15}$/.test(stored) && parsePhone(stored) === stored, `${written} became ${stored}`)
  })
  fc.assert(holds, { seed, numRuns: 5000 })
})

test('a masked phone keeps its first four and last three digits', () => {
  equal(maskPhone('256700123123'), '2567*****123')
  equal(maskPhone('4915123456789'), '4915******789')
})
