import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../../test/helpers/service/parts.ts'
import { CsvFile } from '../../../api/http/bodies/body-content.ts'
import { buildExample } from '../../../api/http/openapi/openapi-schemas.ts'
import { BulkPayoutCreateShape, parseBulkBody, parseBulkContent } from './bulk-body.ts'

const seed = randomInt(2 ** 31)
console.log(`bulk-body.test.ts seed ${seed}`)

const ONE = { amount: 5000, phone: '0700000000' }
const READ_ONE = { ok: true, ...ONE, phone: '256700000000', name: null, reference: null }
const NO_ITEMS = 'no payout items provided (JSON {payouts:[...]} or CSV)'
const TOO_MANY = 'batch too large (max 1000 items per call)'
const refused = (message: string) => ({ status: 400, code: 'bad_request', message, stored: false })

const ROOTS: [string, unknown, number[], string][] = [
  ['payouts', { payouts: [ONE] }, [5000], 'op1_momo'],
  ['items', { items: [ONE] }, [5000], 'op1_momo'],
  ['both, of which payouts wins', { items: [{ ...ONE, amount: 1 }, ONE], payouts: [ONE] }, [5000], 'op1_momo'],
  ['payouts and something else as items', { payouts: [ONE], items: 'x' }, [5000], 'op1_momo'],
  ['payouts of null and items', { payouts: null, items: [ONE] }, [5000], 'op1_momo'],
  ['a channel for all', { channel: 'card', payouts: [ONE] }, [5000], 'card'],
  ['a blank channel', { channel: ' ', payouts: [ONE] }, [5000], 'op1_momo'],
  ['a channel of null', { channel: null, payouts: [ONE] }, [5000], 'op1_momo'],
  ['its own channel in the item', { channel: 'card', payouts: [{ ...ONE, channel: 'x' }] }, [5000], 'x'],
  ['what nobody knows', { payouts: [ONE], currency: 5, note: {} }, [5000], 'op1_momo'],
  ['two items', { payouts: [ONE, { ...ONE, amount: 0 }] }, [5000, 0], 'op1_momo'],
]

for (const [name, body, amounts, channel] of ROOTS)
  test(`a body with ${name} is read`, async () => {
    const expected = amounts.map((amount, index) => ({ ...READ_ONE, index, amount, channel }))
    deepEqual((await parseBulkContent(body)).items, expected)
  })

const REFUSED: [string, unknown, string][] = [
  ['nothing in it', {}, NO_ITEMS],
  ['an empty list', { payouts: [] }, NO_ITEMS],
  ['an empty list that wins', { payouts: [], items: [ONE] }, NO_ITEMS],
  ['lists of null', { payouts: null, items: null }, NO_ITEMS],
  ['1,001 items', { payouts: Array(1001).fill(ONE) }, TOO_MANY],
  ['1,001 items that are all bad', { items: Array(1001).fill(null) }, TOO_MANY],
  ['an object as payouts', { payouts: ONE }, 'invalid request: payouts must be a list'],
  ['a text as payouts beside items', { payouts: '', items: [ONE] }, 'invalid request: payouts must be a list'],
  ['a number as items', { items: 0 }, 'invalid request: items must be a list'],
  ['a number as channel', { channel: 1, payouts: [ONE] }, 'invalid request: channel must be a string'],
  ['a NUL in the channel', { channel: '\u0000', payouts: [] }, 'invalid request: channel contains control characters'],
  ['a long channel', { channel: 'x'.repeat(201) }, 'invalid request: channel must be at most 200 characters'],
  ['a list as its root', [ONE], 'invalid request: body must be a JSON object'],
  ['null as its root', null, 'invalid request: body must be a JSON object'],
]

for (const [name, body, message] of REFUSED)
  test(`a body with ${name} is refused: ${message}`, async () => {
    await rejects(parseBulkContent(body), refused(message))
  })

test('one bad item does not affect the others', async () => {
  const { items } = await parseBulkContent({
    payouts: [ONE, null, { ...ONE, reference: 'r-2', amount: 'x' }, ONE],
  })
  deepEqual(
    items.map((item) => (item.ok ? item.amount : item.error)),
    [5000, 'invalid item: item must be an object', 'invalid item: amount must be an integer', 5000],
  )
  deepEqual(
    items.map(({ index, reference }) => [index, reference]),
    [
      [0, null],
      [1, null],
      [2, 'r-2'],
      [3, null],
    ],
  )
})

test('1,000 items are not too many', async () => {
  const { items } = await parseBulkContent({ payouts: Array(1000).fill(ONE) })
  equal(items.length, 1000)
})

test('the Content-Type says what the bytes are', async () => {
  const csv = Buffer.from('phone,amount\n0700000000,5000\n')
  const form = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'),
    csv,
    Buffer.from('\r\n--x--\r\n'),
  ])
  const expected = { items: [{ ...READ_ONE, index: 0, channel: 'op1_momo' }] }
  deepEqual(await parseBulkBody(csv, 'text/csv'), expected)
  deepEqual(await parseBulkBody(csv, 'text/plain; charset=utf-8'), expected)
  deepEqual(await parseBulkBody(form, 'multipart/form-data; boundary=x'), expected)
  deepEqual(await parseBulkBody(Buffer.from(JSON.stringify({ payouts: [ONE] })), undefined), expected)
  const hint = 'invalid request: body is not valid JSON; is it CSV? then send Content-Type: text/csv'
  await rejects(parseBulkBody(csv, 'application/json'), refused(hint))
  await rejects(
    parseBulkBody(Buffer.from('[phone'), 'text/plainer'),
    refused('invalid request: body is not valid JSON'),
  )
  await rejects(parseBulkBody(Buffer.alloc(0), 'text/csv'), refused(NO_ITEMS))
})

test('the example of the description is valid', async () => {
  const { items } = await parseBulkContent(buildExample(BulkPayoutCreateShape))
  equal(items[0]?.ok, true)
})

// Values that both JSON and CSV can express: texts, or a number of digits.
const cell = (...more: string[]) =>
  fc.oneof(fc.constant(''), fc.constantFrom(...more), fc.string({ unit: 'binary', maxLength: 8 }).map(wellFormed))
// Spaces around a CSV cell have no meaning.
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '').trim()
const given = fc.record({
  amount: fc.oneof(fc.nat(), fc.bigInt(0n, 10n ** 40n).map(Number), fc.constantFrom('', 'x', '-5', '1.5', '1,00')),
  phone: cell('0700000000', '+256 700-000 001', '700000002', '12'),
  name: cell('Akello, "Grace"', 'n'.repeat(201)),
  channel: cell('op1_momo', 'card'),
  reference: cell('r-1', 'r\n1', 'r'.repeat(256)),
})
// A row of empty cells carries nothing, and is skipped; an item without anything is an item.
const carriesSomething = (item: Given) => Object.values(item).some((value) => String(value).trim() !== '')
type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never

const COLUMNS = ['amount', 'phone', 'name', 'channel', 'reference'] as const
const HEADERS = {
  amount: ['amount', ' AMOUNT '],
  phone: ['phone', 'msisdn', 'Number'],
  name: ['name', '"Name"'],
  channel: ['channel'],
  reference: ['reference', 'ref'],
}
const layout = fc.record({
  order: fc.shuffledSubarray([...COLUMNS], { minLength: 5 }),
  headers: fc.record(
    Object.fromEntries(COLUMNS.map((name) => [name, fc.constantFrom(...HEADERS[name])])) as Record<
      string,
      fc.Arbitrary<string>
    >,
  ),
  end: fc.constantFrom('\n', '\r\n'),
  quoteAll: fc.boolean(),
  thousands: fc.boolean(),
  mark: fc.boolean(),
  blankLines: fc.boolean(),
})
type Layout = typeof layout extends fc.Arbitrary<infer Value> ? Value : never

function asCsv(items: Given[], { order, headers, end, quoteAll, thousands, mark, blankLines }: Layout): string {
  const quote = (text: string) => (quoteAll || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const write = (value: string | number) => quote(typeof value === 'string' ? value : digits(value, thousands))
  const lines = [order.map((name) => headers[name]), ...items.map((item) => order.map((name) => write(item[name])))]
  return (mark ? '\ufeff' : '') + lines.map((line) => line.join(',') + end + (blankLines ? end : '')).join('')
}

function digits(amount: number, thousands: boolean): string {
  const text = String(BigInt(amount))
  return thousands ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text
}

const asJson = (items: Given[], nested: boolean) =>
  items.map(({ phone, name, ...item }) => (nested ? { ...item, recipient: { phone, name } } : { ...item, phone, name }))

test('the same data as CSV and as JSON gives the same items', async () => {
  const several = fc.array(given.filter(carriesSomething), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(several, layout, fc.boolean(), async (items, how, nested) => {
      const csv = await parseBulkContent(new CsvFile(Buffer.from(asCsv(items, how))))
      deepEqual(csv, await parseBulkContent({ payouts: asJson(items, nested) }))
    }),
    { seed, numRuns: sized(200, 1000) },
  )
})
