import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { monthNow, passMonth, statementOf } from '../../helpers/payments/statements.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { readPdf, textOf } from '../../helpers/web/pdf-text.ts'

const service = opened(() => startService())

async function pdfOf(key: string, month: string) {
  const response = await fetch(`${service.url}/v1/statements/${month}.pdf`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return { headers: response.headers, bytes, pages: readPdf(bytes) }
}
const testPdf = (own: Payer, month = monthNow(service)) => pdfOf(own.merchant.keys.test, month)

async function settle() {
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('send-payouts')
}
const commas = (value: number) => value.toLocaleString('en-US')

/** One movement of every kind, and enough charges for several pages. */
async function busy(): Promise<Payer> {
  const own = await payer(service, 5_000_000)
  for (let charge = 0; charge < 60; charge += 1)
    await own.api.charge({ amount: 20_000 + charge, reference: `order-${charge}` })
  await settle()
  await own.api.post('/v1/payouts', {
    amount: 1_250_000,
    reference: 'supplier',
    recipient: { phone: '0772000111' },
  })
  await own.api.post('/v1/payouts', {
    amount: 40_000,
    reference: 'wrong',
    recipient: { phone: '0700000001' },
  })
  await settle()
  return own
}

test('the document has every line with its three references, the balances, and the number of each page', async () => {
  const own = await busy()
  const statement = await statementOf(own.api, monthNow(service))
  const { headers, pages, bytes } = await testPdf(own)
  const { handle } = own.merchant
  assert.equal(headers.get('content-type'), 'application/pdf')
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="statement-${handle}-${monthNow(service)}-test.pdf"`,
  )
  assert.equal(headers.get('content-length'), String(bytes.length))
  assert.ok(pages.length >= 2)
  for (const [at, { lines, width, height }] of pages.entries()) {
    assert.deepEqual([width, height], [841.89, 595.28], 'A4 on its side')
    assert.match(lines.at(-1) ?? '', new RegExp(`Page ${at + 1} of ${pages.length}   `))
    assert.match(lines.join('\n'), /TEST MODE/)
  }
  const text = textOf(pages)
  const [first] = pages
  for (const fact of [statement.merchant_name, `@${handle}`, statement.period_label])
    assert.ok(
      first?.lines.some((line) => line.includes(fact)),
      fact,
    )
  const summary = [
    statement.opening_balance,
    statement.totals.collected_net,
    statement.totals.paid_out_total,
    statement.totals.adjustments_net,
    statement.closing_balance,
  ]
  assert.ok(first?.lines.includes(summary.map(commas).join('   ')), 'opening, in, out, adjustments, closing')
  const rows = new Set(text.split('\n'))
  for (const {
    date,
    reference,
    id,
    rail_reference,
    party,
    channel,
    gross,
    gift_card,
    fee,
    net,
  } of statement.money_in) {
    const told = [date.slice(0, 19).replace('T', ' '), reference, id, rail_reference, party, channel]
    const row = [...told, ...[gross, gift_card, fee, net].map(commas)].join('   ')
    assert.ok(rows.has(row), row)
  }
  for (const { reference, id, rail_reference, party, amount, fee, total } of statement.money_out) {
    const told = [reference, id, rail_reference, party, 'Payout'].join('   ')
    const figures = [amount, fee, total].map(commas).join('   ')
    assert.ok(
      [...rows].some((row) => row.includes(told) && row.endsWith(figures)),
      told,
    )
  }
  const [returned] = statement.adjustments.filter(({ kind }: any) => kind === 'payout_returned')
  assert.ok(
    [...rows].some((row) =>
      row.endsWith(
        ['Payout returned', 'wrong', returned.id, returned.rail_reference, 'recipient not found', '40,600'].join('   '),
      ),
    ),
  )
  assert.equal(text.match(/Service ID/g)?.length, 3 + text.match(/continued/g)!.length, 'titles on each page')
})

test('a past month is the same document byte for byte, and a running one says that it is running', async () => {
  const own = await payer(service, 12_345)
  const month = monthNow(service)
  assert.match(textOf((await testPdf(own)).pages), /The month is running\. As of 2/)
  passMonth(service, 10)
  const first = await testPdf(own, month)
  assert.match(textOf(first.pages), /The month is closed\./)
  await service.rows(`update cell_0.merchants set name = 'Renamed' where id = $1`, [own.merchantId])
  service.pass(3_600_000)
  assert.ok((await testPdf(own, month)).bytes.equals(first.bytes))
})

test('an empty month says so, and live money has no test mark', async () => {
  const { merchant } = await payer(service, 5000)
  const text = textOf((await pdfOf(merchant.keys.live, monthNow(service))).pages)
  for (const sentence of [
    'No charge succeeded in this month.',
    'No payout or refund was accepted in this month.',
    'There are no other movements in this month.',
    'Page 1 of 1',
  ])
    assert.ok(text.includes(sentence), sentence)
  assert.doesNotMatch(text, /TEST MODE/)
})

for (const name of [
  "Ŋŋoma 'Ñandú' & Sons <b>",
  'Ελληνικά Кафе Việt Ơ',
  'नमस्ते दुकान',
  '東京 مرحبا 🏪',
  'a\u200bb\u0007c',
])
  test(`the name ${JSON.stringify(name)} prints and can be copied`, async () => {
    const merchant = await service.merchant()
    await service.rows('update cell_0.merchants set name = $1 where public_id = $2', [name, merchant.id])
    const { pages, bytes } = await pdfOf(merchant.keys.test, monthNow(service))
    const seen = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '')
    // The font may reorder and join the letters of a script; all of them are there.
    const shaped = /\p{Script=Devanagari}/u.test(name)
    if (!shaped)
      assert.ok(
        pages[0]?.lines.some((line) => seen(line).includes(seen(name))),
        textOf(pages),
      )
    assert.ok(bytes.length > 5000)
  })

test('a long name is cut, but not a long reference', async () => {
  const own = await payer(service)
  const reference = `${'0123456789'.repeat(20)}END`
  await service.rows('update cell_0.merchants set name = $1 where id = $2', ['Wide '.repeat(40).trim(), own.merchantId])
  await own.api.charge({ reference })
  await settle()
  const { pages } = await testPdf(own)
  assert.match(pages[0]?.lines.join('\n') ?? '', /Wide Wide.*…/)
  const printed = textOf(pages)
    .match(/[0-9]{10,}(?:END)?(?= {3}txn_|$)/gm)
    ?.join('')
  assert.ok(printed?.includes(reference), printed)
})

test('PDFs have a limit of their own, which reading JSON does not use up', async () => {
  const limited = await startService({
    env: { RATE_LIMIT_STATEMENT_PDF: '2' },
    clock: stillClock(),
    database: service.database,
  })
  try {
    const merchant = await limited.merchant()
    const [api, live] = [limited.client(merchant.keys.test), limited.client(merchant.keys.live)]
    const path = `/v1/statements/${monthNow(limited)}`
    assert.equal((await api.get(`${path}x.pdf`)).status, 400, 'a refused one takes no place')
    const statuses = [await api.get(`${path}.pdf`), await api.get(`${path}.pdf`), await api.get(`${path}.pdf`)]
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [200, 200, 429],
    )
    assert.ok(Number(statuses[2]?.headers.get('retry-after')) > 0)
    assert.equal(statuses[2]?.body.code, 'rate_limited')
    assert.equal((await live.get(`${path}.pdf`)).status, 200, 'each mode has its own')
    assert.equal((await api.get(path)).status, 200)
  } finally {
    await limited.close()
  }
})

const qpdf = spawnSync('qpdf', ['--version']).status === 0
test('qpdf reports no fault', { skip: !qpdf && 'qpdf is not installed here' }, async () => {
  const { bytes } = await testPdf(await busy())
  const file = join(tmpdir(), `statement-${process.pid}.pdf`)
  writeFileSync(file, bytes)
  const { status, stdout, stderr } = spawnSync('qpdf', ['--check', file], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''], stdout)
})
