import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import test from 'node:test'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { browserOf, type Cookie, formOf, hasForm } from '../../helpers/web/browser.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))

/** The sealed cookie of a browser that has applied a card to this link. */
async function cookieOf(at: PayShop, link: string, code: string): Promise<Cookie> {
  const browser = visitor(service)
  await applyCode(browser, link, code)
  const cookie = browser.cookies().find(({ name }) => name === 'checkout')
  assert.ok(cookie, at.handle)
  return cookie
}
/** Whether a browser that sends this value to a link sees a card on it. */
async function showsCard(link: string, value: string): Promise<boolean> {
  const browser = visitor(service)
  browser.keep(`checkout=${value}; Path=/pay/${link}`)
  const page = await browser.get(`/pay/${link}`)
  assert.equal(page.status, 200)
  return formOf(page, '/apply-voucher').fields.code !== undefined && /<s>/.test(page.text)
}

test('the cookie is sealed, bound to one link, unreadable for scripts, and expires after half an hour', async () => {
  const [link, card] = [await shop.link({ amount: 10_000 }), await shop.card(4000)]
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  const sent = await browser.send(form, '/apply-voucher', { code: card.code })
  assert.equal(sent.setCookies.length, 1)
  const [cookie = ''] = sent.setCookies
  assert.match(cookie, new RegExp(`^checkout=[A-Za-z0-9_-]+; Path=/pay/${link}; Max-Age=1800; HttpOnly; SameSite=Lax$`))
  const value = Buffer.from(cookie.slice('checkout='.length).split(';')[0] ?? '', 'base64url').toString('latin1')
  for (const secret of [card.id, card.code, card.code.replaceAll('-', ''), card.code.slice(-4), '4000'])
    assert.ok(!cookie.includes(secret) && !value.includes(secret), 'nobody reads it')
  assert.ok(!sent.location.includes(card.code), 'the code is in no address')
  assert.equal((await browser.get(`/pay/${link}`)).setCookies.length, 0, 'looking sets nothing')
  service.pass(31 * 60_000)
  assert.ok(hasForm(await browser.get(`/pay/${link}`), '/apply-voucher'))
  assert.doesNotMatch((await browser.get(`/pay/${link}`)).text, /<s>/)
})

test('a cookie of another link or merchant, or a changed one, is ignored', async () => {
  const other = await payShop(service)
  const [link, second, foreign] = [await shop.link(), await shop.link(), await other.link()]
  const card = await shop.card(2000)
  const { value } = await cookieOf(shop, link, card.code)
  assert.equal(await showsCard(link, value), true)
  assert.equal(await showsCard(second, value), false)
  assert.equal(await showsCard(foreign, value), false)
  const bytes = Buffer.from(value, 'base64url')
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(await showsCard(link, changed.toString('base64url')), false, `byte ${at}`)
  }
  const others = ['', 'x', '"', '%00', value.slice(0, -1), `${value}AAAA`, value.slice(5), 'A'.repeat(6000)]
  const made = Buffer.from(JSON.stringify({ voucher: { cardId: card.id, applied: 2000 }, until: 9e15 }))
  for (const one of [...others, made.toString('base64url')]) assert.equal(await showsCard(link, one), false, one)
})

test('a cookie of yesterday is ignored although the browser still sends it', async () => {
  const [link, card] = [await shop.link(), await shop.card(2000)]
  const { value } = await cookieOf(shop, link, card.code)
  service.pass(29 * 60_000)
  assert.equal(await showsCard(link, value), true)
  service.pass(2 * 60_000)
  assert.equal(await showsCard(link, value), false)
})

test('a code typed in one browser is unknown in every other', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  await browser.send(form, '/submit', { phone: '0772123456', email: 'joy@shops.example' })
  assert.equal(formOf(await browser.get(`/pay/${link}`), '/submit').fields.phone, '0772123456')
  const other = formOf(await visitor(service).get(`/pay/${link}`), '/submit').fields
  assert.deepEqual([other.phone, other.email], ['', ''])
  assert.equal((await chargeOn(service, link)).email, 'joy@shops.example')
})

/** A port that was free a moment ago, so that the address can be set before the service starts. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

test('where the service is reached over https its cookies are sent over https only', async () => {
  const port = await freePort()
  const origin = 'https://pay.shops.example'
  const { database, clock } = service
  const secure = await startLiveService({ database, clock, env: { BASE_URL: origin, PORT: `${port}` } })
  try {
    const [link, reusable, card] = [
      await shop.link({ amount: 10_000 }),
      await shop.testLink({ allow_multiple_uses: true }),
      await shop.card(4000),
    ]
    const browser = browserOf({ url: `http://127.0.0.1:${port}` }, { 'sec-fetch-site': undefined, origin })
    const form = await browser.get(`/pay/${link}?lang=sw`)
    assert.match(form.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}$/)
    const applied = await browser.send(form, '/apply-voucher', { code: card.code })
    const sent = await browser.post(`/pay/${reusable}/submit`, { channel: 'card', phone: '0772123456' })
    assert.equal(sent.status, 302, 'a form of the public address')
    const cookies = [form, applied, sent].flatMap((page) => page.setCookies)
    assert.equal(cookies.length, 3)
    for (const cookie of cookies) assert.match(cookie, /; HttpOnly; SameSite=Lax; Secure$/)
  } finally {
    await secure.close()
  }
})
