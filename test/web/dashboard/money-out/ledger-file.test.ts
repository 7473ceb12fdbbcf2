import assert from 'node:assert/strict'
import test from 'node:test'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { kampalaDay } from '../../../../src/platform/time/kampala.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../../helpers/payments/following-payouts.ts'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { DAY, newPayer } from '../../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, hasForm } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs, tillOf } from '../../../helpers/web/dashboard.ts'
import { postedFile } from '../../../helpers/web/downloads.ts'

const service = openedAndVerified(() => startPayingService())
const PAGE = '/dashboard/wallet/statements'

type Row = Record<string, string>
type Asked = { from: string; until: string; balance?: string; as?: string }

async function fileOf(person: Planted, asked: Asked): Promise<Buffer> {
  const { action, fields } = formOf(await person.get(PAGE), '/wallet/export')
  return postedFile(service, person, action, { ...fields, as: 'csv', ...asked })
}
const METADATA = { order: 'A-17', note: '=1+1\n"x"' }
const rowsOf = async (person: Planted, asked: Asked): Promise<Row[]> =>
  parse(await fileOf(person, asked), { columns: true, bom: true })

/** A shop with a payment, a payout that arrived and one that came back, on two days. */
const shop = made(async () => {
  const { merchant, live } = await richShop(service, 300_000)
  const first = kampalaDay(service.clock.now())
  const customer = { phone: '+256 700 000 111' }
  const charge = await live.charge({ amount: 50_000, reference: '=cmd|calc', customer, metadata: METADATA })
  await succeed(service, charge.body.id)
  service.pass(DAY)
  await service.run('settle-charges')
  const second = kampalaDay(service.clock.now())
  const pay = async (reference: string, arrives: boolean) => {
    const recipient = { phone: newPayer(), name: 'Okot James' }
    const metadata = arrives ? { branch: 'Ntinda' } : {}
    const { body } = await live.post('/v1/payouts', { amount: 20_000, recipient, reference, metadata })
    service.operator[arrives ? 'pays' : 'refuses'](body.id)
    await sendUntilEnded(service, body.id)
    return body.id as string
  }
  return {
    merchant,
    live,
    first,
    second,
    charge: charge.body.id,
    paid: await pay('rent', true),
    back: await pay('w', false),
  }
})

test('a list has every movement with the balance after it, and leads from the balance before to that of the statement', async () => {
  const { live, first, second, charge, paid, back } = shop
  const anna = await signedInAs(service, shop.merchant)
  const rows = await rowsOf(anna, { from: first, until: second })
  let balance = Number(rows[0]?.Balance)
  assert.equal(rows[0]?.What, 'Balance before')
  for (const row of rows.slice(1, -1)) {
    balance += Number(row.In) - Number(row.Out)
    assert.equal(Number(row.Balance), balance)
  }
  assert.deepEqual([rows.at(-1)?.What, Number(rows.at(-1)?.Balance)], ['Balance after', balance])
  const body = (await live.get('/v1/balance')).body.balances[0]
  assert.equal(balance, body.available + body.pending)
  const [came] = rows.filter(({ Id }) => Id === charge)
  assert.deepEqual(
    [came?.What, came?.Reference, came?.Channel, came?.Phone, came?.['Amount paid'], came?.Fee, came?.In, came?.Out],
    ['Payment received, after its fee', "'=cmd|calc", 'MTN MoMo', '256700000111', '50000', '750', '49250', ''],
  )
  const [stored] = await service.rows<{ sms: string | null }>(
    'select rail_transaction_id as sms from charges where id = $1',
    [charge],
  )
  assert.ok(stored?.sms, 'the operator gave its number')
  assert.equal(came?.['Number in the SMS'], stored.sms)
  const [went] = rows.filter(({ Id }) => Id === paid)
  assert.deepEqual([went?.Name, went?.Reference, went?.Out, went?.In], ['Okot James', 'rent', '20300', ''])
  assert.deepEqual(
    rows.filter(({ Id }) => Id === back).map(({ In, Out }) => [In, Out]),
    [
      ['', '20300'],
      ['20300', ''],
    ],
  )
})

test('any days are cut out of it: what one day ends with, the next begins with', async () => {
  const { first, second } = shop
  const anna = await signedInAs(service, shop.merchant)
  const [one, two] = [
    await rowsOf(anna, { from: first, until: first }),
    await rowsOf(anna, { from: second, until: second }),
  ]
  assert.equal(one.at(-1)?.Balance, two[0]?.Balance)
  assert.ok(one.length > 2 && two.length === 2 + 3)
  const before = await rowsOf(anna, { from: '2020-01-01', until: '2020-01-31' })
  assert.deepEqual(
    before.map(({ Balance }) => Balance),
    ['0', '0'],
  )
})

test('each balance of the wallet has its own list, which ends with what the API says', async () => {
  const { live, first, second } = shop
  const anna = await signedInAs(service, shop.merchant)
  const body = (await live.get('/v1/balance')).body.balances[0]
  for (const [balance, ends] of [
    ['available', body.available],
    ['pending', body.pending],
    ['in_flight', body.in_flight ?? 0],
  ] as const) {
    const rows = await rowsOf(anna, { from: first, until: second, balance })
    assert.equal(Number(rows.at(-1)?.Balance), ends, balance)
    // The money of this shop is not held, so nothing is ever pending.
    assert.equal(rows.length > 2, balance !== 'pending', balance)
  }
})

test('a row about a payment has its metadata, as the files of payments have it; the statement never shows it', async () => {
  const { live, merchant, first, second, charge, paid, back } = shop
  const rows = await rowsOf(await signedInAs(service, merchant), { from: first, until: second })
  const metadataOf = (id: string) => rows.filter(({ Id }) => Id === id).map(({ Metadata }) => Metadata)
  for (const cell of metadataOf(charge)) assert.deepEqual(JSON.parse(cell ?? ''), METADATA)
  assert.deepEqual([metadataOf(charge).length, metadataOf(paid)], [1, ['{"branch":"Ntinda"}']])
  assert.deepEqual(metadataOf(back), ['', ''])
  assert.deepEqual([rows[0]?.Metadata, rows.at(-1)?.Metadata, Object.keys(rows[0] ?? {}).at(-1)], ['', '', 'Metadata'])
  const statement = await live.get(`/v1/statements/${first.slice(0, 7)}`)
  assert.equal(statement.status, 200)
  assert.doesNotMatch(JSON.stringify(statement.body), /metadata|A-17|Ntinda/)
})

test('the workbook has the same rows: amounts are numbers, and no text is a formula', async () => {
  const { first, second } = shop
  const anna = await signedInAs(service, shop.merchant)
  const bytes = await fileOf(anna, { from: first, until: second, as: 'xlsx' })
  const { sheets } = await readXlsx(bytes)
  const [head = [], ...rows] = sheets[0]?.rows ?? []
  const csv = await rowsOf(anna, { from: first, until: second })
  assert.equal(rows.length, csv.length)
  const at = (name: string) => head.indexOf(name)
  for (const [nth, row] of rows.entries())
    for (const name of ['Balance', 'In', 'Out', 'Fee', 'Phone', 'What', 'Number in the SMS', 'Metadata'])
      assert.equal(String(row[at(name)] ?? ''), csv[nth]?.[name], `${name} of row ${nth}`)
  assert.equal(typeof rows[0]?.[at('Balance')], 'number')
  assert.ok(rows.some((row) => row[at('Reference')] === '=cmd|calc'))
  assert.ok(!bytes.includes('<f>'))
})

test('days that are none, in the wrong order or too many are told beside the field', async () => {
  const anna = await signedInAs(service, shop.merchant)
  const form = await anna.get(PAGE)
  for (const [days, says] of [
    [{ from: '2026-02-30', until: '2026-03-01' }, /from must be a day of the calendar/],
    [{ from: '2026-03-02', until: '2026-03-01' }, /The last day is before the first one/],
    [{ from: '2020-03-02', until: '2026-03-01' }, /At most 1100 days in one file/],
    [{ from: '', until: '2026-03-01' }, /From: fill this in/],
  ] as const) {
    const refused = await anna.send(form, '/wallet/export', days)
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), says)
  }
})

test('only owner and accountant have the list, it is in the audit, and another business has nothing of it', async () => {
  const { merchant, first, second } = shop
  const owner = formOf(await (await signedInAs(service, merchant)).get(PAGE), '/wallet/export')
  for (const role of ['accountant', 'developer', 'viewer', 'cashier', 'till'] as const) {
    const person =
      role === 'till'
        ? await tillOf(service, merchant)
        : await signedInAs(service, merchant, { role: role as MerchantRole })
    const page = await person.get(PAGE)
    if (role === 'accountant') {
      assert.ok((await fileOf(person, { from: first, until: second })).length > 500)
      continue
    }
    assert.ok(!hasForm(page, '/wallet/export'), role)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await person.get('/dashboard/counter')).text)?.[1] ?? ''
    assert.equal((await person.post(owner.action, { ...owner.fields, csrf })).status, 403, role)
  }
  const stranger = await signedInAs(service, (await richShop(service, 1000)).merchant)
  const text = String(await fileOf(stranger, { from: first, until: second }))
  assert.ok(!text.includes('256700000111') && !text.includes(shop.charge))
  const audited = await service.rows<{ after: { days: string } }>(
    `select after from audit where action = 'export' and subject = 'ledger' order by at desc`,
  )
  assert.match(JSON.stringify(audited[0]?.after), /"days": ?"\d{4}-\d\d-\d\d to/)
})
