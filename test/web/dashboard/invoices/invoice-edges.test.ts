import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayBounds } from '../../../../src/platform/time/kampala.ts'
import { newPayer, startLiveService } from '../../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { browserOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'
import { dayIn, makeInvoice } from './making.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop({ name: 'Mama Joy' }))
const LIVE = '/dashboard/invoices'
const DAY_MS = 86_400_000
const owner = () => signedInAs(service, shop.merchant)
const write = () => service.run('mail-invoices')

test('a mail that waits for the mail server is gone once its customer is forgotten', async () => {
  const person = await owner()
  const waits = async (email: string) =>
    (await service.rows('select 1 from mails where recipient = $1', [email])).length
  const alone = await makeInvoice(person, LIVE, { phone: '', email: 'alone@buyer.example' })
  const phone = newPayer()
  const called = await makeInvoice(person, LIVE, { phone, email: 'called@buyer.example' })
  for (const id of [alone, called]) await person.send(await person.get(`${LIVE}/${id}`), '/mail')
  await write()
  assert.deepEqual([await waits('alone@buyer.example'), await waits('called@buyer.example')], [1, 1])
  await person.send(await person.get(`${LIVE}/${alone}`), '/forget')
  await person.send(await person.get(`/dashboard/customers/${phone}`), '/forget')
  assert.deepEqual([await waits('alone@buyer.example'), await waits('called@buyer.example')], [0, 0])
})

test('a reminder that had to wait says what is true on the day on which it is written', async () => {
  const email = 'later@buyer.example'
  await makeInvoice(await owner(), LIVE, { email, due: dayIn(service, 1), reminds: 'yes' })
  service.pass(3 * DAY_MS)
  await write()
  const mails = await mailsTo(service, email)
  assert.deepEqual(
    mails.map(({ values }) => values.kind),
    ['after'],
  )
})

test('a reminder waits while a payment is on its way, and comes when that has failed', async () => {
  // Reminders have an hour of the day.
  service.pass(dayBounds(dayIn(service, 1)).start.getTime() + DAY_MS / 2 - service.clock.nowMs())
  const email = 'paying@buyer.example'
  const id = await makeInvoice(await owner(), LIVE, { email, due: dayIn(service, 2), reminds: 'yes' })
  service.pass(1.5 * DAY_MS)
  const customer = browserOf(service)
  const form = await customer.get(`/pay/${id}`)
  const sent = await customer.send(form, '/submit', { channel: 'op1_momo', phone: newPayer() })
  assert.equal(sent.status, 302)
  service.pass(DAY_MS / 2)
  await write()
  assert.deepEqual(await mailsTo(service, email), [])
  const [charge] = await service.rows<{ id: string }>('select id from charges where payment_link_id = $1', [id])
  const entry = service.entryOf(charge?.id ?? '')
  assert.ok(entry)
  entry.state = 'refused'
  await service.run('follow-charges')
  service.pass(DAY_MS / 12)
  await write()
  assert.equal((await mailsTo(service, email)).length, 1)
})

test('a mail that waits is not sent once its invoice is cancelled', async () => {
  const person = await owner()
  const email = 'cancelled@buyer.example'
  const wanted = 'wanted@buyer.example'
  for (const to of [email, wanted]) {
    const id = await makeInvoice(person, LIVE, { email: to })
    await person.send(await person.get(`${LIVE}/${id}`), '/mail')
    await write()
    if (to === email) await person.send(await person.get(`${LIVE}/${id}`), '/cancel')
  }
  await service.run('send-mails')
  const rows = await service.rows('select recipient, state from mails where recipient = any($1)', [[email, wanted]])
  assert.deepEqual(rows, [{ recipient: wanted, state: 'sent' }])
})

test('a browser of a phone that is called like a program counts as the customer', async () => {
  const id = await makeInvoice(await owner(), LIVE)
  await browserOf(service).get(`/pay/${id}`, {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-dest': 'document',
    'user-agent': 'Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
  })
  assert.match(mainOf(await (await owner()).get(`${LIVE}/${id}`)), /Invoice INV-\d+ UGX 45,000 seen/)
})

test('odd words in filters and addresses are answered with a page', async () => {
  const person = await owner()
  const hostile = ['%00', '%25', "'", 'a'.repeat(3000), '%F0%9F', '2026-02-29', '0001-01-01', '9999-12-31', 'lnk_%00']
  for (const name of ['customer', 'status', 'from', 'until', 'range', 'before', 'after'])
    for (const text of hostile) {
      const { status } = await person.get(`${LIVE}?${name}=${text}`)
      assert.ok(status < 500, `${name}=${text}`)
    }
  for (const path of ['lnk_%00', '%00', 'a'.repeat(500), 'new?name=%00&phone=%00'])
    assert.ok((await person.get(`${LIVE}/${path}`)).status < 500, path)
})

test('the file of a customer has all invoices', async () => {
  const person = await owner()
  const phone = newPayer()
  const id = await makeInvoice(person, LIVE, { phone })
  await service.rows(
    `insert into payment_links select (l2).* from (select jsonb_populate_record(l, jsonb_build_object('id', l.id || n)) as l2
     from payment_links l, generate_series(1, 60) n where l.id = $1) x`,
    [id],
  )
  await service.rows(
    `insert into invoices select (i2).* from (select jsonb_populate_record(i, jsonb_build_object('id', i.id || n, 'number', 5000 + n)) as i2
     from invoices i, generate_series(1, 60) n where i.id = $1) x`,
    [id],
  )
  const file = JSON.parse((await person.send(await person.get(`/dashboard/customers/${phone}`), '/export')).text)
  assert.equal(file.invoices.length, 61)
  await service.rows('delete from invoices where number > 5000')
})

test('a program that opens the address in a mail stops nothing, and the key of one invoice opens no other', async () => {
  const person = await owner()
  const email = 'stop@buyer.example'
  const id = await makeInvoice(person, LIVE, { email })
  await person.send(await person.get(`${LIVE}/${id}`), '/mail')
  await write()
  const stop = new URL((await mailsTo(service, email))[0]?.values.stop ?? '')
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await fetch(`${service.url}${stop.pathname}${stop.search}`, { method })
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
    assert.match(headers.get('referrer-policy') ?? '', /^(?:same-origin|no-referrer)$/)
  }
  assert.equal((await service.rows('select 1 from invoice_mail_stops')).length, 0)
  const other = await makeInvoice(person, LIVE, { email: 'x@buyer.example' })
  assert.equal((await browserOf(service).get(`/pay/${other}/mails${stop.search}`)).status, 404)
  assert.equal((await browserOf(service).get(`/pay/${id}/mails?key=%00`)).status, 404)
})
