import assert from 'node:assert/strict'
import test from 'node:test'
import { SPREADSHEET_HINT } from '../../../../src/platform/text/phone.ts'
import { availableOf, payer } from '../../../helpers/payments/schedules.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = opened(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 100_000_000))

const BULK = '/v1/payouts/bulk'
const CSV = 'phone,amount,name,reference\r\n0700000000,5000,Akello Grace,R1\r\n+256 700 000 009,"10,000",,R2\r\n'
const JSON_ITEMS = [
  { amount: 5000, recipient: { phone: '0700000000', name: 'Akello Grace' }, reference: 'R1' },
  { amount: 10_000, recipient: { phone: '0700000009' }, reference: 'R2' },
]
const form = (csv: string, field: string) =>
  [
    '--cut\r\ncontent-disposition: form-data; name="note"\r\n\r\nJuly wages\r\n',
    `--cut\r\ncontent-disposition: form-data; name="${field}"; filename="wages.csv"\r\ncontent-type: text/csv\r\n\r\n`,
    `${csv}\r\n--cut--\r\n`,
  ].join('')
const multipart = 'multipart/form-data; boundary=cut'

/** References of its own for one test, so that no other one has spent them. */
const named = (prefix: string, body: unknown) =>
  typeof body === 'string'
    ? body.replaceAll(/\bR(?=\d)/g, prefix)
    : JSON.parse(JSON.stringify(body).replaceAll(/"R(?=\d)/g, `"${prefix}`))

const SAME: [string, unknown, string | undefined][] = [
  ['payouts of nested recipients', { payouts: JSON_ITEMS }, 'application/json'],
  ['items instead of payouts', { items: JSON_ITEMS }, 'application/json'],
  ['payouts, which win over items', { payouts: JSON_ITEMS, items: [{ amount: 1, phone: '0700000000' }] }, ''],
  [
    'flat recipients',
    { payouts: JSON_ITEMS.map(({ recipient, ...item }) => ({ ...item, ...recipient })) },
    'application/json',
  ],
  [
    'nested recipients that win over flat ones',
    { payouts: JSON_ITEMS.map((item) => ({ ...item, phone: '0711111111' })) },
    'application/json',
  ],
  ['JSON of an unknown type', { payouts: JSON_ITEMS }, 'application/octet-stream'],
  ['a channel for all', { channel: 'op1_momo', payouts: JSON_ITEMS }, 'application/json'],
  [
    'a channel of its own in each item',
    { channel: 'card', payouts: JSON_ITEMS.map((item) => ({ ...item, channel: 'op1_momo' })) },
    'application/json',
  ],
  ['text/csv', CSV, 'text/csv'],
  ['text/csv with a charset', CSV, 'Text/CSV; charset=utf-8'],
  ['text/plain', CSV, 'text/plain'],
  ['a CSV of bare line feeds behind a byte order mark', `\ufeff${CSV.replaceAll('\r', '')}`, 'text/csv'],
  [
    'a CSV with aliases in another order, and a column that nobody knows',
    'Ref, MSISDN ,note,NAME,channel,amount\n\nR1,0700000000,x,"Akello Grace",op1_momo,5000\n\nR2,0700000009,"a ""b"", c",,,"10,000"\n',
    'text/csv',
  ],
  ['a form with a file', form(CSV, 'file'), multipart],
  ['a form with a file under another name', form(CSV, 'wages'), multipart],
  ['a form with a text instead of a file', form(CSV, 'file').replace('; filename="wages.csv"', ''), multipart],
]

for (const [at, [how, body, type]] of SAME.entries())
  test(`the same two payments are made from ${how}`, async () => {
    const prefix = `way ${at} `
    const headers = type === '' ? {} : { 'content-type': type }
    const { status, body: made } = await shop.api.post(BULK, named(prefix, body), headers)
    assert.equal(status, 200, JSON.stringify(made))
    const { total, accepted, failed, batch_id } = made
    assert.deepEqual({ total, accepted, failed }, { total: 2, accepted: 2, failed: 0 })
    const payouts = await Promise.all(
      made.results.map(async ({ id }: any) => (await shop.api.get(`/v1/payouts/${id}`)).body),
    )
    assert.deepEqual(
      payouts.map((payout) => [
        payout.amount,
        payout.fee,
        payout.recipient_phone,
        payout.recipient_name,
        payout.reference,
        payout.kind,
      ]),
      [
        [5000, 200, '256700000000', 'Akello Grace', `${prefix}1`, 'bulk'],
        [10_000, 200, '256700000009', null, `${prefix}2`, 'bulk'],
      ],
    )
    assert.deepEqual(
      payouts.map((payout) => payout.batch_id),
      [batch_id, batch_id],
    )
  })

test('a root channel holds for the items that name none, null included', async () => {
  const item = { amount: 1000, phone: '0700000000' }
  const { body } = await shop.api.post(BULK, {
    channel: 'card',
    payouts: [item, { ...item, channel: 'op1_momo' }, { ...item, channel: null }, { ...item, channel: ' ' }],
  })
  const refused = 'no disbursement adapter for channel card'
  assert.deepEqual(
    body.results.map((result: any) => result.error ?? result.ok),
    [refused, true, refused, refused],
  )
})

const ROWS: [string, string, string][] = [
  ['a cell too few', '0700000000,1000', 'invalid item: row has 2 cells, the header has 3'],
  ['a cell too many', '0700000000,1000,x,y', 'invalid item: row has 4 cells, the header has 3'],
  ['an amount with a unit', '0700000000,1000 UGX,', 'invalid item: amount must be an integer'],
  ['an amount with a point', '0700000000,1000.00,', 'invalid item: amount must be an integer'],
  ['a negative amount', '0700000000,-1000,', 'invalid item: amount must be an integer'],
  ['commas in wrong places', '0700000000,"1,00,0",', 'invalid item: amount must be an integer'],
  ['no amount', '0700000000,,', 'invalid item: amount must be an integer'],
  ['no phone', ',1000,', 'invalid item: recipient.phone is required'],
  ['a bad phone', '12,1000,', 'invalid item: recipient.phone is not a valid phone number'],
  [
    'a phone of a spreadsheet',
    '77212345.0,1000,',
    `invalid item: recipient.phone is not a valid phone number${SPREADSHEET_HINT}`,
  ],
  ['an amount of 0', '0700000000,0,', 'amount must be positive'],
  ['an amount of 40 digits', `0700000000,${'9'.repeat(40)},`, 'amount exceeds the maximum of 1000000000'],
]

test('a row that is wrong fails alone, with the row before and the row behind it paid', async () => {
  const good = '0700000000,1000,'
  const before = await availableOf(shop.api)
  const lines = ['phone,amount,name', good, ...ROWS.map(([, row]) => row), good]
  const { body } = await shop.api.post(BULK, lines.join('\n'), {
    'content-type': 'text/csv',
    'idempotency-key': 'rows',
  })
  assert.deepEqual([body.total, body.accepted], [ROWS.length + 2, 2])
  for (const [at, [what, , error]] of ROWS.entries()) {
    const { ok, reference, error: said, retryable } = body.results[at + 1]
    assert.deepEqual(
      { what, ok, reference, said, retryable },
      { what, ok: false, reference: `rows-${at + 1}`, said: error, retryable: false },
    )
  }
  assert.equal(await availableOf(shop.api), before - 2 * 1200)
})

test('a CSV is the same request by its bytes, whatever its form has for a boundary', async () => {
  const key = { 'idempotency-key': 'one file' }
  const send = (boundary: string, csv: string) =>
    shop.api.post(BULK, form(csv, 'file').replaceAll('--cut', `--${boundary}`), {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...key,
    })
  const csv = named('file ', CSV)
  const first = await send('aaa', csv)
  const again = await send('bbb', csv)
  assert.deepEqual([first.status, again.status], [200, 200])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(again.body.batch_id, first.body.batch_id)
  const other = await send('bbb', csv.replace('5000', '5001'))
  assert.equal(other.body.error, 'idempotency key reused with different request body')
})

test('1,000 rows of CSV are paid in one call', async () => {
  const before = await availableOf(shop.api)
  const csv = `phone,amount\n${'0700000000,1000\n'.repeat(1000)}`
  const { body } = await shop.api.post(BULK, csv, { 'content-type': 'text/csv' })
  assert.deepEqual([body.total, body.accepted], [1000, 1000])
  assert.deepEqual(
    body.results.map((result: any) => result.index),
    Array.from({ length: 1000 }, (_, index) => index),
  )
  assert.equal(new Set(body.results.map((result: any) => result.id)).size, 1000)
  assert.equal(await availableOf(shop.api), before - 1000 * 1200)
})
