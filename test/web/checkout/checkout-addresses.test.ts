import assert from 'node:assert/strict'
import test from 'node:test'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { LG } from '../../../src/web/checkout/texts/lg.ts'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { makeOrder, registerMachines } from '../../helpers/vending/vending.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = opened(() => startLiveService())
const shop = made(() => payShop(service, { handle: 'mama-joy' }))
const somebody = visitor(service)

const capitals = (path: string) => path.toUpperCase()

test('C7 a trailing slash and capitals lead to the page of a link, and the query is kept', async () => {
  const id = await shop.testLink({ allow_multiple_uses: true })
  const { location } = await pay(somebody, id, { channel: 'op1_momo', phone: '0700000000' })
  await sandboxDecides(service)
  const query = `?${location.split('?')[1]}`
  const typed: [string, string][] = [
    [`/pay/${id}/`, `/pay/${id}`],
    [`/pay/${id}///`, `/pay/${id}`],
    [capitals(`/pay/${id}`), `/pay/${id}`],
    [`/Pay/${id}`, `/pay/${id}`],
    [`/pay/${capitals(id)}/`, `/pay/${id}`],
    [`/pay/${id}/?lang=lg`, `/pay/${id}?lang=lg`],
    [`/pay/${id}/Receipt/${query}`, `/pay/${id}/receipt${query}`],
    [`/pay/${capitals(id)}/status${query}`, `/pay/${id}/status${query}`],
    [`/pay/${id}/QR.PNG`, `/pay/${id}/qr.png`],
  ]
  for (const [from, to] of typed) {
    const page = await somebody.get(from)
    assert.deepEqual([page.status, page.location], [302, to], from)
    assert.equal((await somebody.get(to)).status, 200, to)
  }
  assert.ok((await somebody.get(`/pay/${id}/receipt${query}`)).text.includes(query.slice('?charge='.length)))
})

test('C7 a storefront is found under its handle in capitals, and with a trailing slash', async () => {
  for (const from of [
    '/pay/@MAMA-JOY',
    '/pay/@mama-joy/',
    '/pay/@Mama-Joy/',
    '/PAY/@mama-joy',
    '//pay//@mama-joy//',
    '/pay/%40MAMA-JOY',
    '/Pay/%40mama-joy/',
  ]) {
    const page = await somebody.get(from)
    assert.deepEqual([page.status, page.location], [302, '/pay/@mama-joy'], from)
  }
  // As chat programs and libraries write an `@`, and as a proxy names the whole address.
  for (const path of ['/pay/@mama-joy', '/pay/%40mama-joy', '/pay/%40mama-joy?utm=a%40b'])
    assert.ok(hasForm(await somebody.get(path), '/pay'), path)
  assert.equal((await somebody.get('/pay/%2540mama-joy')).status, 404)
  assert.equal((await somebody.get('/pay/%40mama-joy/qr.png')).status, 200)
})

test("C7 a trailing slash and capitals lead to the machine's screen", async () => {
  await service.set(shop.merchant, { vendingEnabled: true })
  await registerMachines(service, shop.row.id, ['M-1'])
  const { order_id: id } = await makeOrder({ api: shop.test })
  for (const from of [`/vending/display/${id}/`, `/vending/display/${capitals(id)}`, `/Vending/Display/${id}`]) {
    const page = await somebody.get(`${from}?lang=sw`)
    assert.deepEqual([page.status, page.location], [302, `/vending/display/${id}?lang=sw`], from)
  }
  const none = await somebody.get(`/vending/display/${id}/nothing`)
  assert.equal(none.status, 404)
  assert.match(none.text, /<main id="screen" class="unknown"/)
})

test("C7 an unknown address under the hosted pages gets a page for customers, in the customer's language", async () => {
  const id = await shop.testLink()
  const customer = visitor(service)
  const nowhere = [
    '/pay',
    '/pay/a/b/c',
    `/pay/${id}/nothing`,
    `/pay/${id}0`,
    '/pay/@nobody-here',
    `/pay/@mama-joy/nothing`,
    '/pay/assets/none.js',
    `/pay/${'a'.repeat(2000)}`,
    `/pay/@${'a'.repeat(300)}/qr.png`,
  ]
  for (const path of nowhere) {
    const page = await customer.get(path)
    assert.equal(page.status, 404, path)
    assert.ok(page.text.includes(EN.closed.unknown.title), path)
    assert.doesNotMatch(page.text, /href="\/docs"|Start page/, path)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  }
  assert.ok((await customer.get('/pay/a/b/c?lang=lg')).text.includes(LG.closed.unknown.title))
  const sent = await customer.post('/pay/a/b/c', { phone: '0772123456' })
  assert.deepEqual([sent.status, sent.text.includes(LG.closed.unknown.title)], [404, true])
  const document = await customer.get('/pay/a/b/c/status.json')
  assert.deepEqual([document.status, document.body.code], [404, 'not_found'])
})

test('C7 no address redirects a customer to another site', async () => {
  const typed = [
    '/pay//EVIL.example/',
    '/pay/../EVIL.example/',
    '/pay/..//EVIL.example/',
    '/pay/..\\..\\\\EVIL.example/',
    '/pay/%2F%2FEVIL.example/',
    '/pay/%5C%5CEVIL.example/',
    '//EVIL.example/pay/x/',
  ]
  for (const path of typed) {
    const { status, location } = await somebody.get(path)
    assert.ok(status === 404 || status === 302, `${status} ${path}`)
    if (status === 302) assert.match(location, /^\/(?:pay|vending\/display)\/[^/\\]/, `${path} -> ${location}`)
  }
})
