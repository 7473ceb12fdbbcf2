import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { ROOT } from '../../../src/platform/processes/root.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant({ vending: true }))
const LISTS = {
  charges: '/charges',
  payouts: '/payouts',
  links: '/links',
  orders: '/orders',
  settlements: '/wallet/settlements',
}

/** One of everything: a charge that was paid, one that was not, a payout, a link, an order. */
async function fill() {
  const client = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  for (const phone of ['0700000000', '0700000001'])
    await client.charge({ amount: 10_000, reference: 'INV-1', customer: { phone } })
  service.pass(3000)
  await service.run('follow-charges')
  await owner.send(await owner.get('/dashboard/test'), '/funds', { amount: '1,000,000' })
  await client.post('/v1/payouts', { amount: 5000, recipient: { phone: '0772000000', name: 'Okello' }, reference: 'P' })
  await client.post('/v1/payment-links', { amount: 5000, description: 'Soda' })
  await owner.send(await owner.get('/dashboard/test/vending/add'), '/vending/add', { machine: 'M-1', name: '' })
  await client.post('/v1/vending/orders', {
    ...{ machine: 'M-1', amount: 3000, goods: [{ spbh: '1', spmc: 'Soda', spdj: 3000 }] },
  })
  return owner
}
const filled = made(fill)

async function fileOf(list: keyof typeof LISTS, fields: Record<string, string> = {}) {
  const path = `/dashboard/test${LISTS[list]}`
  const reply = await filled.send(await filled.get(path), `${path}/export`, fields)
  assert.equal(reply.status, 200, reply.text)
  const lines: string[][] = parse(reply.text, { bom: true })
  const rows: Record<string, string>[] = parse(reply.text, { bom: true, columns: true })
  return { headings: lines[0] ?? [], rows, reply }
}

/** The columns of each file as docs/files.md lists them, under this heading. */
function columnsInDocs(heading: string): Map<string, string> {
  const text = readFileSync(join(ROOT, 'docs/files.md'), 'utf8').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return new Map(
    [...text.matchAll(/^\| (\w+)[^|]* \| ([^|]+) \|$/gm)].map(([, file = '', columns = '']) => [file, columns]),
  )
}

test('both files of every list have the columns that docs/files.md names, in that order', async () => {
  for (const list of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    assert.equal((await fileOf(list)).headings.join(', '), columnsInDocs('For people').get(list), list)
    const forPrograms = await fileOf(list, { for: 'programs' })
    assert.equal(forPrograms.headings.join(', '), columnsInDocs('For programs').get(list), list)
    assert.match(forPrograms.reply.headers.get('content-disposition') ?? '', /-for-programs\.csv"$/)
  }
})

test('a file for people says what the pages say: states, reasons, phones, channels and times', async () => {
  const { rows: charges } = await fileOf('charges')
  const told = charges.map((row) => [row.State, row['Why not paid'], row.Customer, row['What for'], row['Paid with']])
  assert.deepEqual(told.sort(), [
    ['not paid', 'too little money', '0700 000 001', 'INV-1', 'MTN MoMo'],
    ['paid', '', '0700 000 000', 'INV-1', 'MTN MoMo'],
  ])
  assert.ok(charges.every(({ When }) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(When ?? '')))
  const [payout] = (await fileOf('payouts')).rows
  assert.deepEqual(
    [payout?.Recipient, payout?.Phone, payout?.Kind, payout?.['Amount and fee']],
    ['Okello', '0772 000 000', 'single payout', String(Number(payout?.Amount) + Number(payout?.Fee))],
  )
  assert.deepEqual(
    (await fileOf('links')).rows.map((row) => [row.State, row['What for'], row['Many times']]),
    [['being paid', 'Soda', 'no']],
  )
  assert.deepEqual(
    (await fileOf('orders')).rows.map((row) => [row.Payment, row['Machine says'], row.What]),
    [['not paid yet', 'not dispensed yet', 'Soda']],
  )
})
