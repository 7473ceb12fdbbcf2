import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { browserOf } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'
import { dayIn, makeInvoice } from './making.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop({ name: 'Mama Joy' }))
const LIVE = '/dashboard/invoices'
const DAY_MS = 86_400_000
let customers = 0

/** A live invoice for a customer with an address of its own. */
async function mailable(person: Planted, fields: Record<string, string> = {}) {
  customers += 1
  const email = `customer-${customers}@buyer.example`
  return { email, id: await makeInvoice(person, LIVE, { email, ...fields }) }
}
const owner = () => signedInAs(service, shop.merchant)
const mailsOf = async (email: string) => (await mailsTo(service, email)).map(({ values }) => values.kind)
/** Moves the clock to the next noon in Kampala. */
const atNoon = () => service.pass(DAY_MS - ((service.clock.nowMs() + 15 * 3_600_000) % DAY_MS))
const write = () => service.run('mail-invoices')

test('an invoice is mailed once on request, and then it is sent', async () => {
  const person = await owner()
  const { id, email } = await mailable(person, { note: 'Call 0772 000 009' })
  const page = await person.get(`${LIVE}/${id}`)
  assert.match(mainOf(await person.follow(await person.send(page, '/mail'))), /The mail is on its way/)
  const again = await person.send(page, '/mail')
  assert.equal(again.status, 400)
  assert.match(mainOf(again), /it was mailed just now: mail it again after/)
  await Promise.all([write(), write()])
  await write()
  const [mail, more] = await mailsTo(service, email)
  assert.equal(more, undefined)
  assert.deepEqual(
    [mail?.template, mail?.values.number, mail?.values.amount, mail?.values.business, mail?.values.note],
    ['invoice', 'INV-0001', 'UGX 45,000', 'Mama Joy', 'Call 0772 000 009'],
  )
  assert.equal(mail?.values.lines, '2 × Cement, 50 kg: UGX 40,000\n1 × Delivery: UGX 5,000')
  assert.match(mainOf(await person.get(`${LIVE}/${id}`)), /UGX 45,000 sent .*The invoice mailed today/)
  await service.run('send-mails')
})

test('an invoice is mailed three times at most, and not once it is cancelled', async () => {
  let person = await owner()
  const { id, email } = await mailable(person)
  for (let time = 1; time <= 3; time += 1) {
    assert.equal((await person.send(await person.get(`${LIVE}/${id}`), '/mail')).status, 303)
    await write()
    service.pass(2 * 3_600_000)
    person = await owner()
  }
  assert.match(mainOf(await person.send(await person.get(`${LIVE}/${id}`), '/mail')), /mailed at most 3 times/)
  assert.deepEqual(await mailsOf(email), ['invoice', 'invoice', 'invoice'])
  const other = await mailable(person)
  const page = await person.get(`${LIVE}/${other.id}`)
  await person.send(page, '/mail')
  await person.send(page, '/cancel')
  await write()
  assert.deepEqual(await mailsOf(other.email), [], 'what was cancelled meanwhile is not mailed')
  assert.match(mainOf(await person.get(`${LIVE}/${other.id}`)), /not needed/)
  const closed = await person.send(page, '/mail')
  assert.deepEqual([closed.status, /this invoice is cancelled/.test(mainOf(closed))], [400, true])
})

test('reminders come three days before, on the day and a week later, each once', async () => {
  atNoon()
  const person = await owner()
  const { id, email } = await mailable(person, { due: dayIn(service, 10), reminds: 'yes' })
  assert.match(
    mainOf(await person.get(`${LIVE}/${id}`)),
    /Reminder before it is due planned .* Reminder on the day planned/,
  )
  const mailed: string[] = []
  for (let day = 0; day <= 19; day += 1) {
    await Promise.all([write(), write()])
    const kinds = await mailsOf(email)
    if (kinds.length > mailed.length) mailed.push(`${kinds[0]} on day ${day}`)
    service.pass(DAY_MS)
  }
  assert.equal(mailed.length, 3)
  assert.deepEqual((await mailsOf(email)).toReversed(), ['before', 'due', 'after'])
})

test('reminders end when it is paid, when they are switched off, and when the customer says no', async () => {
  const person = await owner()
  const soon = { due: dayIn(service, 4), reminds: 'yes' }
  const off = await mailable(person, soon)
  const stopped = await mailable(person, soon)
  const paid = await mailable(person, soon)
  const on = await mailable(person, { due: dayIn(service, 4) })
  await person.send(await person.get(`${LIVE}/${off.id}`), '/reminders-off')
  await person.send(await person.get(`${LIVE}/${on.id}`), '/reminders-on')
  await service.rows('update payment_links set switched_off_at = $2 where id = $1', [
    paid.id,
    service.clock.now().toISOString(),
  ])
  await person.send(await person.get(`${LIVE}/${stopped.id}`), '/mail')
  await write()
  const stop = new URL((await mailsTo(service, stopped.email))[0]?.values.stop ?? '')
  const customer = browserOf(service)
  const asked = await customer.get(`${stop.pathname}${stop.search}`)
  assert.match(mainOf(asked), /Mama Joy sends you mails about its invoices\. Do you want no more of them\?/)
  assert.equal((await customer.get(`${stop.pathname}?key=${'0'.repeat(40)}`)).status, 404)
  assert.equal((await customer.post(stop.pathname, { key: 'x' })).status, 404)
  assert.equal((await service.rows('select 1 from invoice_mail_stops')).length, 0, 'opening the page changes nothing')
  const done = await customer.follow(await customer.send(asked, '/mails'))
  assert.match(mainOf(done), /You get no more mails about invoices of Mama Joy/)
  for (let day = 0; day < 13; day += 1) {
    service.pass(DAY_MS)
    await write()
  }
  assert.deepEqual(await mailsOf(off.email), [])
  assert.deepEqual(await mailsOf(paid.email), [])
  assert.deepEqual(await mailsOf(stopped.email), ['invoice'])
  assert.equal((await mailsOf(on.email)).length, 3)
  const later = await owner()
  assert.match(mainOf(await later.get(`${LIVE}/${stopped.id}`)), /the customer wants no mails/)
  const again = await mailable(later, { email: stopped.email.toUpperCase() })
  const refused = await later.send(await later.get(`${LIVE}/${again.id}`), '/mail')
  assert.match(mainOf(refused), /the customer wants no more mails about your invoices/)
})

test('a mail whose process died is written by the next one, and only once', async () => {
  const person = await owner()
  const { id, email } = await mailable(person)
  await person.send(await person.get(`${LIVE}/${id}`), '/mail')
  await write()
  // As if the process had died after the mail and before its record.
  await service.rows(
    `update invoice_mails set ended_at = null, outcome = null, lease_until = $2 where invoice_id = $1`,
    [id, new Date(service.clock.nowMs() + 60_000).toISOString()],
  )
  await write()
  assert.equal(
    (await service.rows('select 1 from invoice_mails where invoice_id = $1 and ended_at is null', [id])).length,
    1,
  )
  service.pass(6 * 60_000)
  await write()
  assert.equal(
    (await service.rows('select 1 from invoice_mails where invoice_id = $1 and ended_at is null', [id])).length,
    0,
  )
  assert.deepEqual(await mailsOf(email), ['invoice'])
})

test('a shop mails a hundred invoices a day, and the rest wait', async () => {
  const person = await owner()
  const at = service.clock.now().toISOString()
  const { id } = await mailable(person)
  await service.rows(
    `insert into invoices (merchant_id, id, mode, number, customer_name, customer_email, due_on, lines, sent_at, created_at)
     select i.merchant_id, 'lnk_planted' || n, i.mode, 1000 + n, 'A', 'a@b.example', i.due_on, i.lines, $2, $2
     from invoices i, generate_series(1, 100) n where i.id = $1`,
    [id, at],
  )
  await service.rows(
    `insert into invoice_mails (merchant_id, invoice_id, kind, seq, due_at, ended_at, outcome)
     select merchant_id, id, 'invoice', 1, $1, $1, 'written' from invoices where id like 'lnk_planted%'`,
    [at],
  )
  const refused = await person.send(await person.get(`${LIVE}/${id}`), '/mail')
  assert.match(mainOf(refused), /at most 100 mails about invoices go out in 24 hours/)
  const reminded = await mailable(person, { due: dayIn(service, 1), reminds: 'yes' })
  service.pass(DAY_MS - 60_000)
  await service.rows(`update invoice_mails set ended_at = $1 where invoice_id like 'lnk_planted%'`, [
    service.clock.now().toISOString(),
  ])
  service.pass(12 * 3_600_000)
  await write()
  assert.deepEqual(await mailsOf(reminded.email), [], 'a reminder waits for room')
  service.pass(DAY_MS)
  await write()
  assert.deepEqual(await mailsOf(reminded.email), ['after'], 'it says that the day has passed')
  for (const table of ['invoice_mails', 'invoices'] as const)
    await service.rows(`delete from ${table} where ${table === 'invoices' ? 'id' : 'invoice_id'} like 'lnk_planted%'`)
})
