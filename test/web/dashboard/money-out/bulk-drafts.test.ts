import assert from 'node:assert/strict'
import type { PersonCaller } from '../../../../src/api/access/actor.ts'
import { getDraft } from '../../../../src/payments/payouts/bulk/drafts/draft.ts'
import { type DraftInput, draftBulk } from '../../../../src/payments/payouts/bulk/drafts/draft-bulk.ts'
import { lookUpDraftHolders } from '../../../../src/payments/payouts/bulk/drafts/look-up-draft-holders.ts'
import { type PreviewLine, previewBulk } from '../../../../src/payments/payouts/bulk/drafts/preview-bulk.ts'
import { getBatch, listBatches, readBatchItems } from '../../../../src/payments/payouts/bulk/find-batches.ts'
import { readLinesToMend } from '../../../../src/payments/payouts/bulk/mend-batch.ts'
import { sendUntilEnded } from '../../../helpers/payments/following-payouts.ts'
import { changedTables, startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, crewed, sendSeenDraft } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'

const service = openedAndVerified(() => startPayingService())
const file = (text: string, name = 'wages.csv'): DraftInput => ({ name, bytes: Buffer.from(text) })
const draft = (caller: PersonCaller, given: DraftInput) => draftBulk(service.app, caller, given)
const preview = (caller: PersonCaller, id: string) => previewBulk(service.app, caller, id)
const send = (caller: PersonCaller, id: string) => sendSeenDraft(service.app, caller, id)
const csvOf = (lines: Awaited<ReturnType<typeof readLinesToMend>>) =>
  ['phone,amount,reference,name,problem']
    .concat(
      lines.map((line) =>
        [line.phone, line.amount, line.reference, line.name, line.problem].map((cell) => JSON.stringify(cell)).join(),
      ),
    )
    .join('\n')
const said = ({ line, result }: PreviewLine) => [line, 'error' in result ? result.error : result.kind]

test('a nasty file is told line by line, by the rules of the call, and nothing is written', async () => {
  const { anna, live } = await crewed(service, { above: null, funds: 60_000 })
  const [p1, p2, p3] = [newPayer(), newPayer(), newPayer()]
  const paid = await live.post('/v1/payouts/bulk', {
    payouts: [{ amount: 1000, phone: p3, reference: 'spent' }],
  })
  assert.equal(paid.body.accepted, 1)
  const text = [
    '\uFEFFname,Phone,AMOUNT,Reference,team',
    `"Okot, James",${p1},"10,000",a-1,x`,
    '',
    `Grace,${p2},five,a-2,x`,
    `Grace,not a phone,500,a-3,x`,
    `"Grace",${p2},700,a-4`,
    `"O ""Lion"" Opio",${p2},700,a-5,x`,
    `Twin,${p1},10000,a-6,x`,
    `Twin,${p1},10000,a-1,x`,
    `Other,${p1},999,a-1,x`,
    `Spent,${p3},1000,spent,x`,
    `Spent,${p3},1001,spent,x`,
    `Nothing,${p2},0,a-8,x`,
    `Poor,${p2},40000,a-9,x`,
    `Small,${p2},600,,x`,
  ].join('\r\n')
  const id = await draft(anna, file(text))
  const before = await service.digest()
  const shown = await preview(anna, id)
  assert.deepEqual(shown.lines.map(said), [
    [2, 'pays'],
    [4, 'invalid item: five is no amount; write whole shillings, such as 5000'],
    [5, 'invalid item: not a phone is not a valid phone number'],
    [6, 'invalid item: row has 4 cells, the line of headings has 5'],
    [7, 'pays'],
    [8, 'pays'],
    [9, 'repeats'],
    [10, 'reference reused with different payout details'],
    [11, 'paid before'],
    [12, 'reference reused with different payout details'],
    [13, 'amount must be positive'],
    [14, 'insufficient available balance: have 37500, need 40600 (amount 40000 + fee 600)'],
    [15, 'pays'],
  ])
  assert.deepEqual(
    shown.lines.filter(({ sameAs }) => sameAs !== null).map(({ line, sameAs }) => [line, sameAs]),
    [
      [8, 2],
      [9, 2],
    ],
  )
  const { pays, paidBefore, refused, available, refusal } = shown
  assert.deepEqual(
    { pays, paidBefore, refused, available, refusal },
    {
      pays: { count: 4, amount: 21_300, fees: 800 },
      paidBefore: 2,
      refused: 7,
      available: 58_800,
      refusal: null,
    },
  )
  assert.equal(shown.lines[4]?.written.name, 'O "Lion" Opio')
  assert.equal(await service.digest(), before)
  const { body } = await live.get('/v1/payouts')
  assert.equal(body.data.length, 1)
  const batch = await send(anna, id)
  assert.equal(await availableOf(live), available - pays.amount - pays.fees, 'it did what it had shown')
  assert.equal(await send(anna, id), batch)
  assert.equal(await availableOf(live), available - pays.amount - pays.fees)
})

longTest(
  'a thousand lines are previewed and sent; a line more, no line, no header and no text are refused',
  async () => {
    const { anna, live } = await crewed(service, { above: null, funds: 900_000 })
    const lines = Array.from({ length: 1000 }, (_, at) => `${newPayer()},${500 + (at % 3)},m-${at}`)
    const text = `phone,amount,reference\n${lines.join('\n')}`
    const id = await draft(anna, file(text))
    const { pays } = await preview(anna, id)
    assert.deepEqual([pays.count, pays.fees], [1000, 200_000])
    const batch = await send(anna, id)
    const row = await getBatch(service.app, anna, batch)
    assert.deepEqual([row.total, row.done, row.accepted], [1000, 1000, 1000])
    assert.equal(await availableOf(live), 900_000 - pays.amount - pays.fees)
    for (const [bad, says] of [
      [`${text}\n${newPayer()},500,m-1000`, /too many lines \(max 1000\)/],
      ['phone,amount\n', /there are no lines to pay/],
      ['name\nAkello', /the list has one column, and begins with "name"/],
      ['phone,amount\n"0700000000,5', /CSV has a quote that is never closed/],
      ['', /there are no lines to pay/],
    ] as const)
      await assert.rejects(draft(anna, file(bad)), says)
    await assert.rejects(draft(anna, { name: 'x', bytes: Buffer.from([0xff, 0xfe, 0x41]) }), /one column/)
  },
)

test('pasted lines need no header, may leave the end out, and may come from a spreadsheet', async () => {
  const { anna } = await crewed(service, { above: null })
  const [p1, p2] = [newPayer(), newPayer()]
  const typed = await preview(anna, await draft(anna, { pasted: `${p1},500\n\n ${p2} , "1,000" ,r2,Akello\nx` }))
  assert.deepEqual(typed.lines.map(said), [
    [1, 'pays'],
    [3, 'pays'],
    [4, 'invalid item: the amount is empty; write whole shillings, such as 5000'],
  ])
  const written = { phone: p2, amount: '1,000', reference: 'r2', name: 'Akello', metadata: '' }
  assert.deepEqual(typed.lines[1]?.written, written)
  assert.match(typed.lines[0]?.item.reference ?? '', /^bdr_.*-1$/)
  const sheet = `Phone\tAmount\tName\n${p1}\t1,500\tOkot, James\n${p2}\t2000\t"Lion"`
  const tabbed = await preview(anna, await draft(anna, { pasted: sheet }))
  assert.deepEqual(tabbed.lines.map(said), [
    [2, 'pays'],
    [3, 'pays'],
  ])
  assert.deepEqual([tabbed.lines[0]?.written.name, tabbed.pays.amount], ['Okot, James', 3500])
})

test('failed lines are mended and sent again, round after round, and nobody is paid twice', async () => {
  const { anna, live } = await crewed(service, { above: null, funds: 100_000 })
  const [good, broken, unlucky] = [newPayer(), newPayer(), newPayer()]
  const first = await draft(anna, {
    pasted: `${good},1000,ok,Good\n${broken},1x00,typo,Broken\nnumber,900,nobody,Nobody\n${unlucky},2000,fails,Unlucky`,
  })
  const batch = await send(anna, first)
  const refusedPayout = (await readBatchItems(service.app, anna, batch)).at(-1)?.payoutId ?? ''
  service.operator.refuses(refusedPayout)
  for (const phone of [good, unlucky])
    service.operator.onSubmit({ answer: phone === good ? 'accept' : 'refuse' }, phone)
  await sendUntilEnded(service, refusedPayout)
  const mend = await readLinesToMend(service.app, anna, batch)
  assert.deepEqual(
    mend.map(({ phone, amount, reference, name }) => [phone, amount, reference, name]),
    [
      [broken, '1x00', 'typo', 'Broken'],
      ['number', '900', 'nobody', 'Nobody'],
      [unlucky, '2000', 'fails-again1', 'Unlucky'],
    ],
  )
  assert.deepEqual(await readLinesToMend(service.app, anna, batch), mend)
  service.operator.onSubmit({ answer: 'accept' }, unlucky)
  const text = csvOf(mend).replace('1x00', '1500').replace('number', newPayer())
  const again = await send(anna, await draft(anna, file(text)))
  assert.deepEqual(await readLinesToMend(service.app, anna, again), [])
  const third = await preview(anna, await draft(anna, file(text)))
  assert.deepEqual([third.pays.count, third.paidBefore], [0, 3])
  const twice = await send(anna, third.draft.id)
  assert.equal((await getBatch(service.app, anna, twice)).accepted, 3)
  assert.equal(await availableOf(live), 100_000 - 1200 - 1700 - 1100 - 2200)
  const listed = await listBatches(service.app, anna, {
    ...{ limit: 2, startingAfter: null, createdAfter: null, createdBefore: null },
  })
  assert.deepEqual([listed.data.map(({ id }) => id), listed.hasMore], [[twice, again], true])
})

test('an accountant sends a draft to an owner, who pays what the preview showed; the lines can be mended then', async () => {
  const { anna, books, live } = await crewed(service)
  const id = await draft(books, { pasted: `${newPayer()},5000,x1\n${newPayer()},oops,x2` })
  const before = await service.digest('prepared_payouts')
  const prepared = await send(books, id)
  assert.match(prepared, /^prep_/)
  assert.deepEqual(changedTables(before, await service.digest('prepared_payouts')), [])
  const { objectId } = await approve(service, anna, prepared)
  assert.equal(await availableOf(live), 500_000 - 5200)
  const [line] = await readLinesToMend(service.app, books, objectId ?? '')
  assert.deepEqual([line?.amount, line?.reference], ['oops', 'x2'])
})

test('names are asked for twenty at a time, each line by itself, within the limit of the account', async () => {
  const { anna } = await crewed(service)
  const phones = Array.from({ length: 25 }, () => newPayer())
  service.operator.holds(phones[0] ?? '', { active: true, name: 'OKOT JAMES' })
  service.operator.holds(phones[1] ?? '', { active: false, name: null })
  const id = await draft(anna, { pasted: phones.map((phone) => `${phone},500`).join('\n') })
  const holders = await lookUpDraftHolders(service.app, anna, { id, from: 1 })
  assert.deepEqual([holders.length, holders[0]?.name, holders[1]?.active], [20, 'OKOT JAMES', false])
  const rest = await lookUpDraftHolders(service.app, anna, { id, from: 21 })
  assert.deepEqual(
    rest.map(({ line }) => line),
    [21, 22, 23, 24, 25],
  )
  service.operator.onLookup({ answer: 'error' })
  const away = await lookUpDraftHolders(service.app, anna, { id, from: 25 })
  assert.deepEqual([away[0]?.name, away[0]?.active], [null, null])
  assert.match(away[0]?.unknown ?? '', /./)
  service.operator.onLookup({ answer: 'book' })
})

test('a draft is its own merchant’s, in its mode, for a day; only who prepares payouts makes one', async () => {
  const { anna, ben } = await crewed(service)
  const other = await crewed(service)
  const id = await draft(anna, { pasted: `${newPayer()},500` })
  assert.equal((await getDraft(service.app, ben, id)).name, 'pasted lines')
  for (const stranger of [other.anna, { ...anna, mode: 'test' as const }])
    for (const act of [
      (one: string) => getDraft(service.app, stranger, one),
      preview.bind(null, stranger),
      send.bind(null, stranger),
    ])
      await assert.rejects(act(id), { status: 404 })
  for (const role of ['developer', 'cashier', 'viewer'] as const)
    await assert.rejects(draft(worker(anna, role, 9), { pasted: '0700000000,5' }), { status: 403 })
  service.pass(DAY)
  await assert.rejects(preview(anna, id), { status: 404 })
  assert.ok((await service.run('prune')) > 0)
  assert.deepEqual(await service.rows('select 1 from bulk_drafts where id = $1', [id]), [])
  for (let made = 0; made < 20; made += 1) await draft(anna, { pasted: `${newPayer()},500` })
  await assert.rejects(draft(anna, { pasted: '0700000000,5' }), /20 bulk calls wait to be sent already/)
})
