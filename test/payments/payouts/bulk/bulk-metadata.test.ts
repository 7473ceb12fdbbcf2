import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METADATA_REFUSALS } from '../../../helpers/payments/metadata-refusals.ts'
import { pay } from '../../../helpers/payments/payouts.ts'
import { payer } from '../../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { sendFiles } from '../../../helpers/web/sending-files.ts'
import { workbook } from '../../../helpers/web/workbooks.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 5_000_000))
const METADATA = { order: 'A-17', branch: 'Ntinda; "old"', note: 'a, b\nc', 9: 'nine' }
const PAGES = '/dashboard/test/bulk'

const cellOf = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`
const sendCsv = (csv: string) => shop.api.post('/v1/payouts/bulk', csv, { 'content-type': 'text/csv' })
const readPayout = async (id: string) => (await shop.api.get(`/v1/payouts/${id}`)).body

async function uploadAs(person: Awaited<ReturnType<typeof signedInAs>>, list: string | Buffer) {
  const { fields, action } = formOf(await person.get(PAGES), '/upload')
  return person.follow(
    await sendFiles(person, action, { fields, files: [{ name: 'july.csv', bytes: Buffer.from(list) }] }),
  )
}

test('the lines of a CSV have metadata in a column of JSON, which is theirs as that of a JSON item is', async () => {
  const rows = [`5000,0700000000,${cellOf(METADATA)}`, '5000,0700000000,', '5000,0700000000,{}', '5000,0700000000,null']
  const { status, body } = await sendCsv(`amount,phone,METADATA\n${rows.join('\n')}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.results.map(({ ok, metadata }: any) => [ok, metadata]),
    [METADATA, {}, {}, {}].map((metadata) => [true, metadata]),
  )
  const items = [{ amount: 5000, phone: '0700000000', metadata: METADATA }]
  const json = await shop.api.post('/v1/payouts/bulk', { payouts: items })
  assert.equal(json.status, 200)
  for (const [result] of [body.results, json.body.results])
    assert.deepEqual((await readPayout(result.id)).metadata, METADATA)
})

test('the largest metadata that a charge may have fits into a line', async () => {
  const largest = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${at}`.padEnd(40, 'n'), '\u{1f34d}'.repeat(500)]),
  )
  const { body } = await sendCsv(`amount,phone,metadata\n5000,0700000000,${cellOf(largest)}\n`)
  assert.deepEqual(body.results?.[0].metadata, largest, body.error)
})

test('what is wrong with a cell fails its line alone, in the words of a JSON item, and names line and column', async () => {
  const rules = METADATA_REFUSALS.map(({ expected, body }) => ({
    cell: cellOf((body as { metadata: unknown }).metadata),
    problem: expected.error.replace('invalid request: ', '').replace(/^body /, 'metadata '),
  }))
  const ownToCells = [
    { cell: 'order=7', problem: 'metadata is not valid JSON; write one object, such as {"order":"A-17"}' },
    { cell: '"{""a"":""1"",""a"":""2""}"', problem: 'metadata: duplicate field a' },
    { cell: `"${'['.repeat(40)}"`, problem: 'metadata is nested too deeply' },
  ]
  const cases = [...rules, ...ownToCells]
  const rows = cases.map(({ cell }, at) => `5000,0700000000,r-${at},${cell}`)
  const { status, body } = await sendCsv(
    `amount,phone,reference,metadata\n${rows.join('\n')}\n5000,0700000000,good,${cellOf(METADATA)}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  for (const [at, { problem }] of cases.entries()) {
    const error = `invalid item: ${problem} (line ${at + 2}, column metadata)`
    const expected = { ok: false, error, code: 'invalid_item', reference: `r-${at}`, metadata: {} }
    const { ok, error: told, code, reference, metadata } = body.results[at]
    assert.deepEqual({ ok, error: told, code, reference, metadata }, expected)
  }
  assert.deepEqual([body.accepted, body.results.at(-1).metadata], [1, METADATA])
  const twice = await sendCsv('amount,phone,metadata,Metadata\n5000,0700000000,,\n')
  assert.deepEqual([twice.status, twice.body.error], [400, 'invalid request: CSV header names metadata twice'])
  const order = await sendCsv('amount,phone,metadata\n5000,12,nothing\n')
  assert.equal(order.body.results[0].error, 'invalid item: recipient.phone is not a valid phone number')
})

test('the metadata in a file of payouts of ours can be sent again as it stands there', async () => {
  const { body } = await pay(shop.api, { metadata: METADATA })
  const owner = await signedInAs(service, shop.merchant)
  const list = '/dashboard/test/payouts'
  const file = await owner.send(await owner.get(list), `${list}/export`, {})
  const lines = file.text.replace('\uFEFF', '').split('\r\n')
  const line = lines.findIndex((one) => one.includes(body.id))
  const sent = await sendCsv(`\uFEFF${lines[0]}\r\n${lines[line]}\r\n`)
  assert.deepEqual([sent.body.accepted, sent.body.results?.[0].metadata], [1, METADATA], JSON.stringify(sent.body))
})

test('a list on the dashboard has it too; faults name the column, and a line that is mended keeps what it had', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const rows = [
    `0700000000,600,list-1,${cellOf(METADATA)}`,
    `0700000000,six,list-2,${cellOf({ order: 'B-2' })}`,
    '0700000000,700,list-3,order B-3',
    `0700000001,800,list-4,${cellOf({ order: 'B-4' })}`,
    '0700000000,900,list-5,',
  ]
  const preview = await uploadAs(owner, `Phone,Amount,Reference,Metadata\r\n${rows.join('\r\n')}\r\n`)
  assert.match(mainOf(preview), /Would be paid 3 .*Would be refused 2/)
  assert.match(mainOf(preview), /list-1 .*9: nine · branch: Ntinda; "old" · note: a, b c and 1 more/)
  const fault = 'metadata is not valid JSON; write one object, such as {"order":"A-17"} (line 4, column Metadata)'
  assert.ok(mainOf(preview).includes(fault), mainOf(preview))
  const columns = await owner.get(formOf(preview, '/send').action.replace(/\/send.*/, '/columns'))
  assert.equal(formOf(columns, '/columns').fields.c4, 'metadata')
  const sent = await owner.send(preview, '/send')
  const call = mainOf(await owner.follow(sent))
  assert.match(call, /list-1 .*branch: Ntinda; "old" · note: a, b c and 1 more/)
  assert.match(call, /list-4 .*order: B-4/)
  service.pass(3000)
  await service.run('send-payouts')
  const payouts = (await shop.api.get('/v1/payouts?limit=3')).body.data
  const givenTo = (amount: number) => payouts.find((payout: any) => payout.amount === amount)?.metadata
  assert.deepEqual([givenTo(600), givenTo(800), givenTo(900)], [METADATA, { order: 'B-4' }, {}])
  const mend = await owner.get(`${sent.location}/mend`)
  const lines = mend.text.replace('\uFEFF', '').split('\r\n')
  assert.equal(lines[0], 'phone,amount,reference,name,problem,metadata')
  assert.match(lines[1] ?? '', /list-2,.*"\{""order"":""B-2""\}"$/)
  assert.match(lines[2] ?? '', /list-3,.*,order B-3$/)
  assert.match(lines[3] ?? '', /list-4-again1,.*"\{""order"":""B-4""\}"$/)
  const mended = await uploadAs(
    owner,
    mend.text.replace('six', '650').replace(/,order B-3\r/, ',"{""order"":""B-3""}"\r'),
  )
  assert.match(mainOf(mended), /Would be paid 3 .*Would be refused 0/)
  await owner.send(mended, '/send')
  const again = (await shop.api.get('/v1/payouts?limit=3')).body.data
  assert.deepEqual(again.map(({ amount, metadata }: any) => [amount, metadata.order]).sort(), [
    [650, 'B-2'],
    [700, 'B-3'],
    [800, 'B-4'],
  ])
})

test('a list of Excel may have long metadata, and a person may say which column it is', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}`.padEnd(40, 'n'), 'x'.repeat(500)]))
  const cell = JSON.stringify(metadata)
  const rows = [
    ['Phone', 'Amount', 'Notes'],
    ['0700000000', 610, cell],
  ]
  const preview = await uploadAs(owner, workbook({ Pay: rows }))
  const step = await owner.get(formOf(preview, '/send').action.replace(/\/send.*/, '/columns'))
  const { fields, action } = formOf(step, '/columns')
  const twice = await owner.post(action, { ...fields, c1: 'metadata', c3: 'metadata' })
  assert.match(mainOf(twice), /only one column can be the metadata/)
  const read = await owner.follow(await owner.post(action, { ...fields, c3: 'metadata' }))
  await owner.send(read, '/send')
  assert.deepEqual((await shop.api.get('/v1/payouts?limit=1')).body.data[0].metadata, metadata)
})

test('lines to mend of a list without metadata have no column for it', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const sent = await owner.send(await uploadAs(owner, 'phone,amount\n0700000000,600\n0700000000,six\n'), '/send')
  assert.match((await owner.get(`${sent.location}/mend`)).text, /^\uFEFF?phone,amount,reference,name,problem\r\n/)
})
