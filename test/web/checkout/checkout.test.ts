import assert from 'node:assert/strict'
import test from 'node:test'
import { DAY, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf, hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, statusOf, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))
const somebody = visitor(service)

const SUCCESS_URL = 'https://Shop.example/thanks?order=17&paid=%C3%A9&amp;x=é'
const PAYS = { phone: '0772123456' }

test('a customer pays: the form, the waiting page, the receipt, and then the shop', async () => {
  const link = await shop.testLink({
    amount: 25_000,
    description: 'Two trays of eggs',
    success_url: SUCCESS_URL,
  })
  const form = await somebody.get(`/pay/${link}`)
  assert.equal(form.status, 200)
  assert.match(form.text, /25,000/)
  assert.match(form.text, /Two trays of eggs/)
  assert.ok(form.text.includes(shop.row.name))
  assert.match(formOf(form, '/submit').fields.token ?? '', /./)
  for (const channel of ['op1_momo', 'op2_money', 'card']) assert.match(form.text, new RegExp(`value="${channel}"`))
  assert.equal(hasForm(form, '/apply-voucher'), false, 'gift cards are live')

  const sent = await somebody.send(form, '/submit', {
    ...PAYS,
    email: 'joy@example.com',
    channel: 'op2_money',
  })
  assert.deepEqual([sent.status, sent.location], [302, `/pay/${link}/status`])
  const charge = await chargeOn(service, link)
  assert.deepEqual(
    [charge.amount, charge.fee, charge.card, charge.channel, charge.phone, charge.email],
    [25_000, 375, 0, 'op2_money', '256772123456', 'joy@example.com'],
  )
  const waiting = await somebody.follow(sent)
  assert.equal(waiting.status, 200)
  assert.ok(!waiting.text.includes(SUCCESS_URL.slice(0, 20)), 'nobody is sent on before the success')
  assert.deepEqual((await somebody.get(`/pay/${link}`)).location, `/pay/${link}/status`)

  await sandboxDecides(service)
  const receipt = await somebody.follow(sent)
  for (const says of [charge.id, '25,000', '256 7•• ••• 456'])
    assert.ok(receipt.text.includes(says), `${says} is on the receipt: ${receipt.text}`)
  assert.ok(receipt.text.includes(`href="${SUCCESS_URL.replaceAll('&', '&amp;')}"`), receipt.text)
  const answer = await shop.test.get(`/v1/charges/${charge.id}`)
  assert.deepEqual([answer.body.status, answer.body.payment_link_id, answer.body.mode], ['succeeded', link, 'test'])
})

test('the document of the page is exact in every state, and gives the address to go on to only after the success', async () => {
  const link = await shop.testLink({ amount: 5000, success_url: SUCCESS_URL })
  const told = (more: object) => ({
    link_id: link,
    status: 'pending',
    amount: 5000,
    amount_due: 5000,
    currency: 'UGX',
    channel: 'op1_momo',
    failure_reason: null,
    success_url: null,
    expired: false,
    ...more,
  })
  assert.deepEqual(await statusOf(service, link), told({ channel: null }))
  await pay(somebody, link, { phone: '0700000002' })
  assert.deepEqual(await statusOf(service, link), told({ status: 'authorized' }))
  await sandboxDecides(service)
  assert.deepEqual(await statusOf(service, link), told({ status: 'failed', failure_reason: 'user_cancelled' }))
  const retried = await somebody.post(`/pay/${link}/retry`, {})
  assert.equal(retried.location, `/pay/${link}`)
  assert.deepEqual(await statusOf(service, link), told({ channel: null }))
  await pay(somebody, link, { ...PAYS, channel: 'card' })
  await sandboxDecides(service)
  const paid = { status: 'succeeded', channel: 'card', success_url: SUCCESS_URL }
  assert.deepEqual(await statusOf(service, link), told(paid))
  await shop.switchLink(link, 'off')
  assert.deepEqual(await statusOf(service, link), told(paid), 'a paid link stays paid')
})

for (const [phone, reason] of [
  ['0700000001', 'insufficient_funds'],
  ['0700000002', 'user_cancelled'],
  ['0700000003', 'timeout'],
] as const)
  test(`a payment that ends as ${reason} says so, offers a retry with the phone filled in, and can then be paid`, async () => {
    const link = await shop.testLink({
      success_url: SUCCESS_URL,
      cancel_url: 'https://shop.example/cart?a=1&b=2',
    })
    const browser = visitor(service)
    await pay(browser, link, { phone, email: 'joy@example.com' })
    await sandboxDecides(service)
    const failed = await browser.get(`/pay/${link}/status`)
    assert.equal(failed.status, 200)
    assert.ok(failed.text.includes('href="https://shop.example/cart?a=1&amp;b=2"'))
    assert.ok(!failed.text.includes('Shop.example/thanks'))
    assert.equal((await statusOf(service, link)).failure_reason, reason)
    const receipt = await browser.get(`/pay/${link}/receipt`)
    assert.equal(receipt.location, `/pay/${link}/status`, 'there is no receipt')
    const form = await browser.follow(await browser.send(failed, '/retry'))
    assert.equal(formOf(form, '/submit').fields.phone, phone)
    assert.equal(formOf(form, '/submit').fields.email, 'joy@example.com')
    await browser.send(form, '/submit', PAYS)
    await sandboxDecides(service)
    assert.deepEqual(
      (await chargesOn(service, link)).map(({ status }) => status),
      ['failed', 'succeeded'],
    )
  })

test('reload, back and a second click make one charge; each answer is the page of the current state', async () => {
  const link = await shop.testLink()
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  const sent = await browser.send(form, '/submit', PAYS)
  for (let click = 0; click < 3; click += 1)
    assert.equal((await browser.send(form, '/submit', PAYS)).location, sent.location)
  assert.equal((await browser.get(`/pay/${link}`)).location, sent.location, 'back, and loaded anew')
  await sandboxDecides(service)
  assert.equal((await browser.send(form, '/submit', PAYS)).location, sent.location, 'the old form, after the end')
  assert.equal((await browser.send(form, '/submit', { ...PAYS, token: '' })).location, sent.location)
  assert.equal((await browser.get(`/pay/${link}`)).location, sent.location)
  await chargeOn(service, link)
})

test('a failed form that is sent again shows the failure; a new form, or one without a token, starts a new payment', async () => {
  const link = await shop.testLink()
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  await browser.send(form, '/submit', { phone: '0700000001' })
  await sandboxDecides(service)
  await browser.send(form, '/submit', { phone: '0700000001' })
  assert.equal((await chargesOn(service, link)).length, 1)
  assert.equal((await statusOf(service, link)).status, 'failed')
  await pay(browser, link, { phone: '0700000003' })
  await sandboxDecides(service)
  await browser.post(`/pay/${link}/submit`, { channel: 'op1_momo', ...PAYS })
  await sandboxDecides(service)
  const states = (await chargesOn(service, link)).map(({ status }) => status)
  assert.deepEqual(states, ['failed', 'failed', 'succeeded'])
})

test('pressing retry while the first attempt is open, or after it was paid, changes nothing', async () => {
  const link = await shop.testLink()
  await pay(somebody, link, PAYS)
  const before = await service.digest()
  const answers = await Promise.all(Array.from({ length: 5 }, () => somebody.post(`/pay/${link}/retry`, {})))
  for (const answer of answers) assert.equal(answer.location, `/pay/${link}/status`)
  assert.equal(await service.digest(), before)
  await sandboxDecides(service)
  const paid = await service.digest()
  assert.equal((await somebody.post(`/pay/${link}/retry`, {})).location, `/pay/${link}/status`)
  assert.equal(await service.digest(), paid)
})

test('a customer who paid and closed the browser finds the receipt the next day', async () => {
  const link = await shop.testLink({ success_url: SUCCESS_URL })
  await pay(visitor(service), link, PAYS)
  await sandboxDecides(service)
  const fresh = await visitor(service).get(`/pay/${link}/status`)
  assert.match(fresh.text, /http-equiv="refresh"/, 'one who has just paid is sent on')
  service.pass(DAY)
  const later = visitor(service)
  const page = await later.follow(await later.get(`/pay/${link}`))
  const { id } = await chargeOn(service, link)
  assert.ok(page.text.includes(id))
  assert.doesNotMatch(page.text, /http-equiv="refresh"/)
  const receipt = await later.get(`/pay/${link}/receipt`)
  assert.equal(receipt.status, 200)
  assert.ok(receipt.text.includes(id))
})

test('a refunded payment keeps its receipt, which says so, and cannot be paid again', async () => {
  const link = await shop.testLink()
  await pay(somebody, link, PAYS)
  const other = await shop.testLink({ amount: 100_000 })
  await pay(somebody, other, PAYS)
  await sandboxDecides(service)
  const { id } = await chargeOn(service, link)
  const before = await somebody.get(`/pay/${link}/receipt`)
  assert.equal((await shop.test.post(`/v1/charges/${id}/refund`)).status, 202)
  assert.equal((await statusOf(service, link)).status, 'refunded')
  const after = await somebody.get(`/pay/${link}/receipt`)
  assert.deepEqual([after.status, after.text.includes(id)], [200, true])
  assert.notEqual(after.text, before.text)
  assert.equal((await somebody.get(`/pay/${link}`)).location, `/pay/${link}/status`)
  assert.equal((await somebody.post(`/pay/${link}/submit`, PAYS)).location, `/pay/${link}/status`)
  await chargeOn(service, link)
})
