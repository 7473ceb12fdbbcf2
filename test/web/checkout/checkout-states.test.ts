import assert from 'node:assert/strict'
import test from 'node:test'
import { setLinkSwitch } from '../../../src/selling/payment-links/switch-link.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Browser, formOf, hasForm, untilServed } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, payDuring, sandboxDecides, statusOf, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))
const somebody = visitor(service)

const PAYS = { channel: 'op1_momo', phone: '0772123456' }
const PAGES = ['', '/status', '/receipt', '/report', '/status.json', '/qr.svg', '/qr.png']

test('a reusable link makes a payment for each customer, each with its own pages', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true, success_url: 'https://shop.example/thanks' })
  const [anne, ben] = [visitor(service), visitor(service)]
  const toAnne = (await pay(anne, link, { phone: '0700000001' })).location
  const toBen = (await pay(ben, link, PAYS)).location
  for (const to of [toAnne, toBen]) assert.match(to, new RegExp(`^/pay/${link}/status\\?charge=txn_[a-z0-9]{21}$`))
  assert.notEqual(toAnne, toBen)
  assert.equal((await somebody.get(`/pay/${link}`)).status, 200, 'the form is there for the next one')
  await sandboxDecides(service)
  const query = (to: string) => `?${to.split('?')[1]}`
  assert.equal((await statusOf(service, link, query(toAnne))).status, 'failed')
  const paid = await statusOf(service, link, query(toBen))
  assert.deepEqual([paid.status, paid.success_url], ['succeeded', 'https://shop.example/thanks'])
  const none = await statusOf(service, link)
  assert.deepEqual([none.status, none.channel, none.success_url], ['active', null, null])

  const receipt = await ben.get(`/pay/${link}/receipt${query(toBen)}`)
  assert.ok(receipt.text.includes(query(toBen).slice('?charge='.length)))
  assert.equal((await ben.get(`/pay/${link}/receipt`)).location, `/pay/${link}/status`)
  assert.equal((await anne.get(`/pay/${link}/receipt${query(toAnne)}`)).location, toAnne)
  const failed = await anne.get(toAnne)
  assert.ok(formOf(failed, '/retry').action.endsWith(query(toAnne)))
  const again = await anne.send(failed, '/retry')
  assert.equal(again.location, `/pay/${link}`)
  assert.equal(formOf(await anne.follow(again), '/submit').fields.phone, '0700000001')
  assert.equal((await chargesOn(service, link)).length, 2, 'a retry alone makes none')
})

test('one form of a reusable link sent many times at once makes one charge, new forms make several', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const form = await somebody.get(`/pay/${link}`)
  const submit = () => untilServed(() => somebody.send(form, '/submit', PAYS))
  const sent = await Promise.all(Array.from({ length: 12 }, submit))
  assert.equal(new Set(sent.map(({ location }) => location)).size, 1)
  assert.equal((await somebody.send(form, '/submit', PAYS)).location, sent[0]?.location)
  const { id } = await chargeOn(service, link)
  assert.ok(sent[0]?.location.endsWith(id))
  await Promise.all(Array.from({ length: 3 }, () => pay(visitor(service), link, PAYS)))
  await Promise.all(Array.from({ length: 2 }, () => somebody.post(`/pay/${link}/submit`, PAYS)))
  assert.equal((await chargesOn(service, link)).length, 6)
})

test('?charge= with a payment of another link or another merchant shows nothing of it', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const other = await payShop(service)
  const foreign: string[] = []
  for (const maker of [shop, other]) {
    const theirs = await maker.testLink({ allow_multiple_uses: true, amount: 77_777 })
    await pay(somebody, theirs, PAYS)
    foreign.push((await chargeOn(service, theirs)).id)
  }
  const api = (await shop.test.charge({ amount: 77_777 })).body.id
  await sandboxDecides(service)
  const shapes = [`${api}'`, 'txn_', '', '%00', `${api}%00`, 'x'.repeat(300), '%ff', '../../x']
  for (const id of [...foreign, api, ...shapes]) {
    const query = `?charge=${id}`
    const told = await statusOf(service, link, query)
    assert.deepEqual([told.status, told.amount, told.channel], ['active', 5000, null], id)
    const page = await somebody.get(`/pay/${link}/status${query}`)
    assert.deepEqual([page.status, page.text.includes('77,777')], [200, false], id)
    assert.equal((await somebody.get(`/pay/${link}/receipt${query}`)).location, `/pay/${link}/status`)
    assert.equal((await somebody.get(`/pay/${link}/report${query}`)).status, 404)
    assert.equal((await somebody.post(`/pay/${link}/report${query}`, { reason: 'other' })).status, 404)
  }
})

test('on a one-shot link ?charge= changes nothing: it shows its own attempt', async () => {
  const link = await shop.testLink()
  await pay(somebody, link, PAYS)
  const other = await shop.testLink({ amount: 77_777 })
  await pay(somebody, other, PAYS)
  const foreign = (await chargeOn(service, other)).id
  assert.equal((await statusOf(service, link, `?charge=${foreign}`)).amount, 5000)
  assert.equal((await statusOf(service, link, `?charge=${foreign}`)).status, 'authorized')
})

test('many people on one one-shot link at once: one charge and one prompt; everybody sees its page', async () => {
  const link = await shop.link()
  const people = Array.from({ length: 16 }, () => ({ browser: visitor(service), phone: newPayer() }))
  const forms = await Promise.all(people.map(({ browser }) => browser.get(`/pay/${link}`)))
  const prompts = service.operator.submits()
  const sent = await Promise.all(
    people.map(({ browser, phone }, at) => untilServed(() => browser.send(forms[at] as never, '/submit', { phone }))),
  )
  for (const { location, text } of sent) assert.equal(location, `/pay/${link}/status`, text)
  const charge = await chargeOn(service, link)
  assert.equal(service.operator.submits(), prompts + 1)
  const pages = await Promise.all(people.map(({ browser }) => browser.get(`/pay/${link}/status`)))
  for (const page of pages) assert.ok(page.text.includes(`${charge.phone?.slice(-3)}`))
  await succeed(service, charge.id)
  const late = people[15]?.browser as Browser
  const again = await late.send(forms[15] as never, '/submit', { phone: 'no phone at all' })
  assert.equal(again.location, `/pay/${link}/status`, 'it is paid, whatever is typed now')
  assert.equal((await late.follow(again)).text.includes(charge.id), true)
  await chargeOn(service, link)
})

test('retries and new payments at the same moment leave one open attempt attached to the link', async () => {
  for (let round = 0; round < 8; round += 1) {
    const link = await shop.testLink()
    await pay(somebody, link, { phone: '0700000001' })
    await sandboxDecides(service)
    const both = Array.from({ length: 6 }, () => [
      untilServed(() => somebody.post(`/pay/${link}/retry`, {})),
      untilServed(() => visitor(service).post(`/pay/${link}/submit`, PAYS)),
    ])
    for (const { status } of await Promise.all(both.flat())) assert.equal(status, 302)
    assert.equal((await statusOf(service, link)).status, 'authorized')
    await sandboxDecides(service)
    assert.equal((await statusOf(service, link)).status, 'succeeded')
    assert.equal((await chargesOn(service, link)).length, 2)
  }
})

test('a link that is switched off while a payment waits for its turn is not paid', async () => {
  for (const body of [{}, { allow_multiple_uses: true }]) {
    const link = await shop.testLink(body)
    const place = { merchantId: shop.row.id, id: link }
    const paying = () => visitor(service).post(`/pay/${link}/submit`, PAYS)
    const off = setLinkSwitch({ ...place, switchedOffAt: service.clock.now() })
    assert.equal((await payDuring(service, place, { paying, change: async () => [off] })).status, 409)
    assert.deepEqual(await chargesOn(service, link), [])
  }
})

test('a link that is switched off while many pay it: at most one charge, and none that starts afterwards', async () => {
  for (let round = 0; round < 8; round += 1) {
    const link = await shop.testLink()
    const submit = () => untilServed(() => visitor(service).post(`/pay/${link}/submit`, PAYS))
    const sent = Array.from({ length: 6 }, submit)
    await shop.switchLink(link, 'off')
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    const paid = statuses.includes(302)
    assert.ok(statuses.every((status) => status === 302 || status === 409))
    assert.equal((await submit()).status, paid ? 302 : 409)
    assert.equal((await chargesOn(service, link)).length, paid ? 1 : 0)
  }
})

test('a link that is switched off says so and accepts nothing; payments started before go on', async () => {
  const [never, begun] = [await shop.testLink({ cancel_url: 'https://shop.example/cart' }), await shop.testLink()]
  const form = await somebody.get(`/pay/${begun}`)
  await somebody.send(form, '/submit', PAYS)
  for (const id of [never, begun]) await shop.switchLink(id, 'off')
  const closed = await somebody.get(`/pay/${never}`)
  assert.deepEqual([closed.status, hasForm(closed, '/submit')], [200, false])
  assert.ok(closed.text.includes('href="https://shop.example/cart"'))
  const before = await service.digest()
  assert.equal((await somebody.post(`/pay/${never}/submit`, PAYS)).status, 409)
  assert.equal(await service.digest(), before)
  assert.equal((await statusOf(service, never)).status, 'inactive')
  assert.equal((await somebody.get(`/pay/${begun}`)).location, `/pay/${begun}/status`)
  const doubled = await somebody.send(form, '/submit', PAYS)
  assert.equal(doubled.location, `/pay/${begun}/status`, 'a second click of who is paying already')
  await sandboxDecides(service)
  assert.equal((await statusOf(service, begun)).status, 'succeeded')
  await shop.switchLink(never, 'on')
  assert.equal((await pay(somebody, never, PAYS)).status, 302)
})

test('after a failure on a link that was switched off meanwhile no retry is offered', async () => {
  const link = await shop.testLink()
  await pay(somebody, link, { phone: '0700000001' })
  await shop.switchLink(link, 'off')
  await sandboxDecides(service)
  const failed = await somebody.get(`/pay/${link}/status`)
  assert.deepEqual([failed.status, hasForm(failed, '/retry')], [200, false])
  assert.equal((await somebody.post(`/pay/${link}/submit`, PAYS)).status, 409)
  await chargeOn(service, link)
})

test('an inactive merchant accepts nothing in either mode, an unverified one nothing live; receipts stay', async () => {
  const other = await payShop(service)
  const [paid, test, live] = [await other.testLink(), await other.testLink(), await other.link()]
  await pay(somebody, paid, PAYS)
  await sandboxDecides(service)
  const closed = async (id: string) => {
    const before = await service.digest()
    const page = await somebody.get(`/pay/${id}`)
    assert.deepEqual([page.status, hasForm(page, '/submit')], [200, false])
    assert.equal((await somebody.post(`/pay/${id}/submit`, { ...PAYS, phone: newPayer() })).status, 409)
    assert.equal(await service.digest(), before)
  }
  await service.set(other.merchant, { active: false })
  await closed(test)
  await closed(live)
  assert.equal((await somebody.get(`/pay/${paid}/receipt`)).status, 200)
  await service.set(other.merchant, { active: true, kycStatus: 'pending' })
  await closed(live)
  assert.equal((await pay(somebody, test, PAYS)).status, 302, 'test mode asks for no papers')
  await service.set(other.merchant, { kycStatus: 'verified' })
  assert.equal((await pay(somebody, live)).status, 302)
})

test('an unknown address gets a page that says so, 404, and as a document JSON', async () => {
  const link = await shop.testLink()
  const tag = link.slice(4, 9)
  const ids = [`${link.slice(0, -1)}!`, `${link}0`, `lnk_${tag}${'0'.repeat(16)}`, 'lnk_']
  for (const id of [...ids, `lnk_zzzzz${link.slice(9)}`, '%00', `${link}%00`, '%ff', "'", 'x'.repeat(200)])
    for (const page of PAGES) {
      const answer = await somebody.get(`/pay/${id}${page}`)
      assert.equal(answer.status, 404, `${id}${page}`)
      // An invalid address never reaches the document.
      const document = page.endsWith('.json') && id !== '%ff'
      const type = document ? /^application\/json/ : /^text\/html/
      assert.match(answer.headers.get('content-type') ?? '', type, `${id}${page}`)
    }
  for (const action of ['submit', 'retry', 'apply-voucher', 'report'])
    assert.equal((await somebody.post(`/pay/${ids[2]}/${action}`, PAYS)).status, 404, action)
})
