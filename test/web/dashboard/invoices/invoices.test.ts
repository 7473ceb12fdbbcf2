import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPayer, startLiveService } from '../../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { browserOf, formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs, tillOf } from '../../../helpers/web/dashboard.ts'
import { dayIn, faultAt, makeInvoice, TWO_LINES } from './making.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop({ name: 'Mama Joy' }))
const TEST = '/dashboard/test/invoices'
const LIVE = '/dashboard/invoices'
// A customer's browser comes from a message or another site, or from nowhere.
const FROM_A_MESSAGE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }

test('an invoice has the next number, is listed and shown, and its page of payment says what for before it is paid', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const id = await makeInvoice(owner, TEST, { note: 'Call 0772 000 009' })
  const page = await owner.get(`${TEST}/${id}`)
  assert.match(page.text, /<title>Invoice INV-0001, Akello Grace/)
  assert.match(mainOf(page), /Invoice INV-0001 UGX 45,000 not sent .*0772 000 001.*Call 0772 000 009/)
  assert.match(mainOf(page), /Cement, 50 kg 2 × UGX 20,000 UGX 40,000 Delivery 1 × UGX 5,000 UGX 5,000/)
  assert.match(
    page.text,
    /https:\/\/wa\.me\/256772000001\?text=Mama%20Joy%3A%20invoice%20INV-0001%20for%20UGX%2045%2C000/,
  )
  assert.match(mainOf(await owner.get(TEST)), /Akello Grace INV-0001 UGX 45,000 not sent/)
  const customer = browserOf(service)
  for (const [language, words] of [
    [
      'en',
      /Invoice INV-0001 For Akello Grace Pay by [\d/]+ 2 × Cement, 50 kg UGX 40,000 1 × Delivery UGX 5,000 Total UGX 45,000/,
    ],
    ['lg', /Invoyisi INV-0001 .*Omugatte UGX 45,000/],
    ['sw', /Ankara INV-0001 Kwa Akello Grace .*Jumla UGX 45,000/],
  ] as const) {
    const hosted = await customer.get(`/pay/${id}?lang=${language}`)
    assert.match(mainOf(hosted), words)
    assert.match(mainOf(hosted), /Call 0772 000 009/)
    assert.doesNotMatch(
      hosted.text,
      /0772 ?000 ?001/,
      'the number of the customer is not for everybody who has the link',
    )
  }
  const paper = await owner.get(`${TEST}/${id}/print`)
  assert.match(mainOf(paper), /Invoice INV-0001 Mama Joy To Akello Grace 0772 000 001 Date .* Total UGX 45,000/)
  assert.match(paper.text, new RegExp(`/pay/${id}/qr\\.svg`))
  const { body } = await shop.test.get(`/v1/payment-links/${id}`)
  assert.deepEqual([body.amount, body.reference, body.allow_multiple_uses], [45_000, 'INV-0001', false])
})

test('the state says sent, seen by the customer and not by the shop, waiting, paid, given back', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const id = await makeInvoice(owner, TEST)
  const state = async () => /class="status \w+">.*?<\/svg>([^<]*)/s.exec((await owner.get(`${TEST}/${id}`)).text)?.[1]
  assert.equal(await state(), 'not sent')
  assert.equal((await owner.send(await owner.get(`${TEST}/${id}`), '/sent')).status, 303)
  assert.equal(await state(), 'sent')
  const customer = browserOf(service)
  await owner.get(`/pay/${id}`)
  await customer.get(`/pay/${id}`, { ...FROM_A_MESSAGE, 'user-agent': 'WhatsApp/2.23' })
  await customer.get(`/pay/${id}`, { 'sec-fetch-site': '', 'user-agent': 'curl/8' })
  assert.equal(await state(), 'sent', 'neither the shop nor what reads links for a message is the customer')
  await customer.get(`/pay/${id}`, FROM_A_MESSAGE)
  assert.equal(await state(), 'seen')
  assert.equal((await owner.get(`${TEST}?status=seen`)).text.includes(id), true)
  assert.equal((await owner.get(`${TEST}?status=paid`)).text.includes(id), false)
  const sent = await customer.send(await customer.get(`/pay/${id}`), '/submit', {
    channel: 'op1_momo',
    phone: '0700000000',
  })
  assert.equal(sent.status, 302)
  assert.equal(await state(), 'payment on its way')
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal(await state(), 'paid')
  const paid = await owner.get(`${TEST}/${id}`)
  assert.doesNotMatch(paid.text, /Cancel the invoice|By WhatsApp/)
  const charge = /charges\/(txn_[a-z0-9]+)/.exec(paid.text)?.[1]
  await shop.test.charge({ amount: 100_000, customer: { phone: newPayer() } })
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal((await shop.test.post(`/v1/charges/${charge}/refund`)).status, 202)
  assert.equal(await state(), 'given back')
})

test('an invoice is late when its day has passed, and paid by nobody once it is cancelled', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const id = await makeInvoice(owner, TEST, { due: dayIn(service, 0) })
  assert.match(mainOf(await owner.get(TEST)), /not sent due today/)
  service.pass(86_400_000)
  const person = await signedInAs(service, shop.merchant)
  assert.match(mainOf(await person.get(`${TEST}/${id}`)), /UGX 45,000 late/)
  assert.match(mainOf(await browserOf(service).get(`/pay/${id}`)), /Was due on/)
  const cancelled = await person.follow(await person.send(await person.get(`${TEST}/${id}`), '/cancel'))
  assert.match(mainOf(cancelled), /cancelled/)
  assert.match(mainOf(await browserOf(service).get(`/pay/${id}`)), /takes no payments here/)
  const again = await person.follow(await person.send(cancelled, '/reopen'))
  assert.match(mainOf(again), /The invoice can be paid again|late/)
})

test('what is wrong with an invoice stands beside its field, and no number is lost', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const form = await owner.get(`${TEST}/new`)
  const before = await service.rows<{ last: number }>(`select last from invoice_numbers where mode = 'test'`)
  for (const [fields, field, says] of [
    [{ name: '' }, 'name', /fill this in/],
    [{ name: ' \u202e ' }, 'name', /name is missing|fill this in/],
    [{ phone: '' }, 'phone', /the customer needs a phone number or an e-mail address/],
    [{ phone: '0772' }, 'phone', /phone is not a valid phone number/],
    [{ email: 'akello' }, 'email', /email is not a valid email address/],
    [{ due: '2026-02-30' }, 'due', /due is not a day/],
    [{ due: dayIn(service, -1) }, 'due', /due has passed/],
    [{ due: dayIn(service, 400) }, 'due', /due is more than a year ahead/],
    [{ description_1: '' }, 'description_1', /fill this in/],
    [{ description_9: '', price_9: '500' }, 'description_9', /a line says what it is for/],
    [{ description_9: 'Nails' }, 'price_9', /a price is an amount in whole shillings/],
    [{ quantity_2: '0' }, 'quantity_2', /a quantity is a whole number from 1/],
    [{ quantity_2: '1.5' }, 'quantity_2', /Write a whole number/],
    [{ price_2: '0' }, 'price_2', /a price is an amount/],
    [{ price_1: '900,000,000', quantity_1: '99999' }, 'price_1', /amount/],
    [{ price_1: '1', quantity_1: '1', description_2: '', price_2: '' }, 'price_1', /amount|fee/],
    [{ reminds: 'yes' }, 'email', /reminders need an e-mail address/],
    [{ note: 'x'.repeat(501) }, 'note', /At most 500/],
  ] as const) {
    const refused = await owner.send(form, '/invoices/new', { ...TWO_LINES, ...fields })
    assert.equal(refused.status, 400, JSON.stringify(fields))
    assert.match(
      faultAt(refused, field),
      says,
      `${field} of ${JSON.stringify(fields)}: ${mainOf(refused).slice(0, 300)}`,
    )
    if (field.endsWith('_9')) assert.match(refused.text, /<details class="lines" open/)
  }
  const after = await service.rows<{ last: number }>(`select last from invoice_numbers where mode = 'test'`)
  assert.deepEqual(after, before)
})

test('markup in an invoice is text on every page, and in its mail', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const markup = '<img src=x onerror=alert(1)>"\'&'
  const id = await makeInvoice(owner, TEST, { name: markup, description_1: markup, note: markup, email: 'a@b.example' })
  for (const path of [TEST, `${TEST}/${id}`, `${TEST}/${id}/print`, `${TEST}/${id}/mail`, `/pay/${id}`])
    assert.doesNotMatch((await owner.get(path)).text, /<img src=x/, path)
  assert.match(mainOf(await owner.get(`${TEST}/${id}/mail`)), /In test mode nobody gets a mail/)
})

test('who may make payment links may make invoices; strangers and the other mode find none', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const id = await makeInvoice(owner, TEST)
  const stranger = await signedInAs(service, await service.merchant({ verified: true }))
  for (const [person, path] of [
    [stranger, `${TEST}/${id}`],
    [owner, `${LIVE}/${id}`],
    [owner, `${TEST}/lnk_nothing`],
    [stranger, `${TEST}/${id}/print`],
    [stranger, `${TEST}/${id}/mail`],
  ] as const)
    assert.equal((await person.get(path)).status, 404, path)
  const { body: link } = await shop.test.post('/v1/payment-links', { amount: 4000 })
  assert.equal((await owner.get(`${TEST}/${link.id}`)).status, 404, 'a link without an invoice is none')
  for (const role of ['developer', 'cashier'] as const)
    await makeInvoice(await signedInAs(service, shop.merchant, { role }), TEST)
  await makeInvoice(await tillOf(service, shop.merchant), TEST)
  for (const role of ['accountant', 'viewer'] as const) {
    const person = await signedInAs(service, shop.merchant, { role })
    const page = await person.get(`${TEST}/${id}`)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /\/(?:sent|cancel|forget|reminders-on)[#"]/, role)
    assert.equal((await person.get(`${TEST}/new`)).status, 403)
  }
  for (const end of ['/sent', '/cancel']) {
    const { action, fields } = (await owner.get(`${TEST}/${id}`)).forms.find((form) => form.action.includes(end)) ?? {}
    const csrf = formOf(await stranger.get(`${TEST}/new`), '/invoices/new').fields.csrf ?? ''
    assert.equal((await stranger.post(action ?? '', { ...fields, csrf })).status, 404, end)
  }
})

test('a customer of invoices is downloaded with them, and forgotten on request: number, lines and sum stay', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const phone = newPayer()
  const id = await makeInvoice(owner, TEST, {
    phone,
    name: 'Okello Peter',
    email: 'okello@buyer.example',
    note: 'For Peter',
  })
  const people = `/dashboard/test/customers/${phone}`
  const page = await owner.get(people)
  assert.match(mainOf(page), /Okello Peter INV-\d+ UGX 45,000/)
  const file = JSON.parse((await owner.send(page, '/export')).text)
  assert.equal(file.invoices[0].email, 'okello@buyer.example')
  assert.equal(file.invoices[0].lines[0].description, 'Cement, 50 kg')
  await owner.send(page, '/forget')
  const invoice = await owner.get(`${TEST}/${id}`)
  assert.doesNotMatch(invoice.text, /Okello|okello|For Peter/)
  assert.match(mainOf(invoice), /Customer forgotten.*Cement, 50 kg/)
  assert.match(mainOf(await browserOf(service).get(`/pay/${id}`)), /Total UGX 45,000/)
  assert.equal((await owner.get(people)).status, 404)
  const mailed = await makeInvoice(owner, TEST, { phone: '', email: 'only@mail.example' })
  const alone = await owner.get(`${TEST}/${mailed}`)
  assert.match(
    mainOf(await owner.follow(await owner.send(alone, '/forget'))),
    /The customer of this invoice is forgotten/,
  )
  assert.equal((await service.rows(`select 1 from invoices where customer_email = 'only@mail.example'`)).length, 0)
})
