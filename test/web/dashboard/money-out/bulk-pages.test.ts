import assert from 'node:assert/strict'
import test from 'node:test'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, type Page } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const BASE = '/dashboard/bulk'

/** Sends the upload form with this file, as a browser does. */
async function upload(person: Planted, text: string, name = 'wages.csv'): Promise<Page> {
  const { fields } = formOf(await person.get(BASE), '/upload')
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([text], { type: 'text/csv' }), name)
  const request = new Request('http://x', { method: 'POST', body: form })
  const bytes = new Uint8Array(await request.arrayBuffer())
  return person.post(`${BASE}/upload`, bytes, { 'content-type': request.headers.get('content-type') ?? '' })
}

test('a file with bad lines is previewed, sent, mended and sent again without script, and nobody is paid twice', async () => {
  const { merchant, live } = await richShop(service, 100_000)
  const anna = await signedInAs(service, merchant)
  const [good, bad] = [newPayer(), newPayer()]
  const text = `phone,amount,reference,name\r\n${good},"5,000",july-1,"=Akello, Grace"\r\n${bad},six,july-2,Okot\r\n`
  const uploaded = await upload(anna, text)
  assert.equal(uploaded.status, 303, mainOf(uploaded))
  const preview = await anna.follow(uploaded)
  for (const says of [
    /Nothing has been sent yet/,
    /Would be paid 1 Amount UGX 5,000 Fees UGX 200 Leaves your balance UGX 5,200/,
    /Would be refused 1/,
    /3 .*Okot six july-2 six is no amount; write whole shillings/,
    /=Akello, Grace/,
  ])
    assert.match(mainOf(preview), says)
  assert.equal(await availableOf(live), 100_000)
  service.operator.holds(good, { active: true, name: 'AKELLO G' })
  const named = await anna.send(preview, '/names')
  assert.match(mainOf(named), /Wallet of AKELLO G/)
  const part = await anna.get(`${uploaded.location}?part=names&from=2`)
  assert.equal(part.headers.get('x-part'), 'final')
  assert.match(part.text, /AKELLO G/)
  const sent = await anna.send(preview, '/send')
  assert.match(sent.location, /\/bulk\/batch_/)
  const batch = await anna.follow(sent)
  assert.match(mainOf(batch), /Accepted 1 Refused 1/)
  assert.match(mainOf(batch), /One line was not paid/)
  assert.equal((await anna.send(preview, '/send')).location, sent.location)
  const mend = await anna.get(`${sent.location}/mend`)
  assert.match(mend.headers.get('content-disposition') ?? '', /attachment; filename="mend-batch_\w+\.csv"/)
  assert.match(mend.text, /^phone,amount,reference,name,problem\r\n\d+,six,july-2,Okot,"invalid item: .*"\r\n$/)
  const mended = await anna.follow(await upload(anna, mend.text.replace('six', '6000'), '=cmd.csv'))
  await anna.send(mended, '/send')
  assert.equal(await availableOf(live), 100_000 - 5200 - 6200)
  const twice = await anna.follow(await upload(anna, mend.text.replace('six', '6000')))
  assert.match(mainOf(twice), /Would be paid 0 .*Paid before, or twice in this file 1/)
  await anna.send(twice, '/send')
  assert.equal(await availableOf(live), 100_000 - 5200 - 6200)
  assert.match((await anna.get(BASE)).text, /\/bulk\/batch_/)
})

test('pasted lines are previewed page by page; what cannot be read is told beside the field, with what was typed', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  const form = await anna.get(BASE)
  const lines = Array.from({ length: 45 }, (_, at) => `${newPayer()},500,p-${at}`).join('\r\n')
  const preview = await anna.follow(await anna.send(form, '/paste', { lines }))
  assert.match(mainOf(preview), /Would be paid 45/)
  const next = /href="([^"]*after=\d+)"/.exec(preview.text)?.[1] ?? ''
  const second = await anna.get(next)
  assert.match(mainOf(second), /p-20/)
  assert.doesNotMatch(mainOf(second), /p-19\b/)
  assert.match(second.text, /before=1"/)
  assert.match(mainOf(await anna.get(BASE)), /Not sent yet.*pasted lines/)
  const bad = await anna.send(form, '/paste', { lines: 'phone,amount\n"0700000000,5' })
  assert.equal(bad.status, 400)
  assert.match(mainOf(bad), /CSV has a quote that is never closed/)
  assert.match(bad.text, /&quot;0700000000,5/)
  assert.match(mainOf(await upload(anna, '')), /Choose a file|there are no lines to pay/)
})

test('an accountant prepares a call, an owner approves it; strangers and other modes find nothing', async () => {
  const { merchant, live } = await richShop(service)
  const [anna, books] = [
    await signedInAs(service, merchant),
    await signedInAs(service, merchant, { role: 'accountant' }),
  ]
  const pasted = await books.send(await books.get(BASE), '/paste', { lines: `${newPayer()},700,a1,James` })
  const prepared = await books.follow(await books.send(await books.follow(pasted), '/prepare', { note: 'July' }))
  assert.match(mainOf(prepared), /The call is prepared.*July.*James/)
  const id = /prep_\w+/.exec(prepared.text)?.[0] ?? ''
  const done = await anna.follow(await anna.send(await anna.get(`/dashboard/payouts/prepared/${id}`), '/approve'))
  assert.match(mainOf(done), /Accepted 1/)
  assert.ok(mainOf(done).includes(id))
  assert.equal(await availableOf(live), 500_000 - 900)
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  const batch = /batch_\w+/.exec(done.text)?.[0] ?? ''
  for (const path of [pasted.location, `${BASE}/${batch}`, `${BASE}/${batch}/mend`]) {
    assert.equal((await stranger.get(path)).status, 404, path)
    assert.equal((await anna.get(path.replace('/dashboard/', '/dashboard/test/'))).status, 404, path)
  }
  for (const role of ['developer', 'cashier', 'viewer'] as const) {
    const other = await signedInAs(service, merchant, { role })
    assert.doesNotMatch((await other.get(BASE)).text, /\/(?:upload|paste)[#"]/, role)
    assert.equal((await other.get(pasted.location)).status, 403, role)
  }
})

test('the lines of a batch change with its counts, and those to mend stand first', async () => {
  const merchant = await service.merchant()
  const anna = await signedInAs(service, merchant)
  const base = '/dashboard/test/bulk'
  await anna.send(await anna.get('/dashboard/test'), '/funds', { amount: '50,000' })
  const lines = ['0700000000,500,first', '0700000000,600,second', '0700000001,700,third'].join('\n')
  const draft = await anna.follow(await anna.send(await anna.get(base), '/bulk/paste', { lines }))
  const sent = await anna.send(draft, '/send')
  const page = await anna.get(sent.location)
  const part = /data-live="([^"]*part=progress[^"]*)"/.exec(page.text)?.[1] ?? ''
  assert.ok(part, 'it follows what is under way')
  assert.match(mainOf(await anna.get(part)), /Arrived 0.*first on its way.*second on its way.*third on its way/)
  service.pass(3000)
  await service.run('send-payouts')
  const ended = await anna.get(part)
  assert.equal(ended.headers.get('x-part'), 'final')
  assert.match(mainOf(ended), /Arrived 2.*Failed later 1.*third came back.*first sent.*second sent/)
})
