import assert from 'node:assert/strict'
import test from 'node:test'
import { findLetter } from '../../../src/merchants/mails/texts.ts'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { applyCode, pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const somebody = visitor(service)

const MARK = 'xq7z'
/** Texts with which merchants and customers could attack a reader; each contains the mark. */
const HOSTILE = [
  `<script>alert('${MARK}')</script>`,
  `"><img src=${MARK} onerror=alert(1)>`,
  `' onmouseover='alert(1)' ${MARK}`,
  `" autofocus onfocus="alert(1)" ${MARK}`,
  `</title><script>${MARK}()</script>`,
  `</style><script>${MARK}()</script>`,
  `<svg onload=${MARK}()>`,
  `<!-- ${MARK} --><marquee>`,
  `&lt;script&gt;${MARK}&lt;/script&gt;`,
  `{{${MARK}}}\${${MARK}}<%=${MARK}%>`,
  `<a href="javascript:${MARK}()">x</a>`,
  `\u202e\u2066${MARK}</p><form action=https://evil.example>`,
]

/** Fails when the mark appears anywhere but in text, or brought an element with it. */
function assertText(page: Page, what: string): void {
  assert.ok(page.status < 500, `${what}: ${page.status}`)
  if (!page.headers.get('content-type')?.startsWith('text/html')) return
  const html = page.text.replace(/<style>[\s\S]*?<\/style>/, '')
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc="\/pay\/assets\/[a-z]+\.js\?v=[0-9a-f]+")[^>]*>/, what)
  assert.doesNotMatch(html, /<[a-z]+[^>]*(?:href|src|action)="(?:javascript|data|https?:\/\/evil)/i, what)
  // Text between quotes is a value, and nothing in it ends the quotes.
  const bare = html.replace(/="[^"]*"/g, '=""')
  assert.doesNotMatch(bare, /<[a-z][^>]*(?:\son[a-z]+|xq7z|autofocus=)/i, what)
  assert.doesNotMatch(bare, /<(?:marquee|iframe|object|embed|!--)/i, what)
}

/** Everything that a customer sees of a shop, in every language. */
async function everyPage(shop: PayShop, paid: string, open: string): Promise<[string, Page][]> {
  const paths = [
    ...['', '/status', '/receipt', '/report', '/report?sent=1', '/qr.svg'].map((page) => `/pay/${paid}${page}`),
    ...['', '/status', '?voucher=unusable', '?voucher=%3Cscript%3E'].map((page) => `/pay/${open}${page}`),
    `/pay/@${shop.handle}`,
  ]
  const pages: [string, Page][] = []
  for (const path of paths)
    for (const lang of ['en', 'lg', 'sw']) {
      const asked = `${path}${path.includes('?') ? '&' : '?'}lang=${lang}`
      pages.push([asked, await somebody.get(asked)])
    }
  return pages
}

for (const [index, text] of HOSTILE.entries())
  test(`hostile text is shown as text, on every page: ${JSON.stringify(text)}`, async () => {
    const shop = await payShop(service, { name: `Shop ${text}`.slice(0, 100), handle: `hostile-${index}` })
    await addItem(service.app, BY_HAND, {
      mode: 'live',
      shop: shop.row,
      name: text.replaceAll('\u202e', ''),
      amount: 5000,
      description: text,
      picture: null,
    })
    const words = { description: text, reference: text }
    const [paid, failed, open] = [await shop.link(words), await shop.testLink(words), await shop.link(words)]
    await pay(somebody, paid, { phone: newPayer() })
    const { id } = await chargeOn(service, paid)
    assertText(await somebody.get(`/pay/${paid}/status`), 'waiting')
    await succeed(service, id)
    await pay(somebody, failed, { phone: '0700000001' })
    await sandboxDecides(service)
    assertText(await somebody.get(`/pay/${failed}/status`), 'failed')
    const pages = await everyPage(shop, paid, open)
    for (const [path, page] of pages) assertText(page, path)
    const seen = pages.filter(([path, page]) => !path.includes('qr.svg') && page.status === 200)
    assert.ok(seen.length > 20)
    const typed = { channel: text, phone: text, email: text, voucher: text }
    const again = await somebody.post(`/pay/${open}/submit`, typed)
    assert.equal(again.status, 400)
    assertText(again, 'the form again')
    assertText(await applyCode(somebody, open, text), 'a wrong code')
    const report = await somebody.post(`/pay/${paid}/report`, { reason: text, details: text, contact: text })
    assert.equal(report.status, 400)
    assertText(report, 'the report again')
    assertText(await somebody.post(`/pay/@${shop.handle}/pay`, { amount: text }), 'the own amount again')
    await shop.switchLink(open, 'off')
    assertText(await somebody.get(`/pay/${open}`), 'closed')
  })

test('hostile addresses appear only as addresses on every page', async () => {
  const shop = await payShop(service)
  const link = await shop.testLink()
  for (const text of HOSTILE) {
    const asked = encodeURIComponent(text)
    for (const path of [`/pay/${asked}`, `/pay/@${asked}`, `/pay/${link}?a=${asked}`, `/pay/${link}/${asked}`])
      assertText(await somebody.get(path), path)
    assertText(await somebody.get(`/pay/${link}?lang=${asked}&voucher=${asked}&charge=${asked}`), 'query')
    assertText(
      await visitor(service, { 'accept-language': text.replace(/[^\x20-\x7e]/g, '') }).get(`/pay/${link}`),
      'language',
    )
  }
})

test('the address to go on to is kept byte for byte, and used only after the success', async () => {
  const shop = await payShop(service)
  const url = 'https://Shop.example/a b?x=1&amp;y="é\'<z>&lt;#top'
  const link = await shop.testLink({ success_url: url, cancel_url: url })
  const form = await somebody.get(`/pay/${link}`)
  const href = /<a class="quiet" href="([^"]*)"/.exec(form.text)?.[1] ?? ''
  assert.equal(href.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'), url)
  await pay(somebody, link, { phone: '0772123456' })
  assert.equal((await somebody.get(`/pay/${link}/status.json`)).body.success_url, null)
  await sandboxDecides(service)
  assert.equal((await somebody.get(`/pay/${link}/status.json`)).body.success_url, url)
  const receipt = await somebody.get(`/pay/${link}/status`)
  assert.ok(receipt.text.includes(`href="${href}"`))
})

for (const bad of [
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example',
  'java\tscript:alert(1)',
  ' https://x.example',
])
  test(`${JSON.stringify(bad)} is refused as an address to send a customer to`, async () => {
    const shop = await payShop(service)
    for (const field of ['success_url', 'cancel_url']) {
      const made = await shop.test.post('/v1/payment-links', { amount: 5000, [field]: bad })
      assert.equal(made.status, 400, made.text)
    }
  })

test('a shop whose name runs from right to left keeps to itself in sentences with amounts, on pages and in mails', async () => {
  const name = 'مطعم 24'
  const shop = await payShop(service, { name, handle: 'right-to-left' })
  const link = await shop.testLink({ amount: 1500 })
  await pay(somebody, link, { phone: '0700000000' })
  await sandboxDecides(service)
  const report = await somebody.get(`/pay/${link}/report?lang=en`)
  assert.match(report.text, new RegExp(`About UGX 1,500 paid to \u2068${name}\u2069`))
  const letter = findLetter('notice-news', { business: name, news: 'a\nb', link: 'https://gateway.example' })
  assert.match(letter?.subject ?? '', new RegExp(`\u2068${name}\u2069`))
  const latin = findLetter('notice-news', {
    business: 'Café 24',
    news: 'a\nb',
    link: 'https://gateway.example',
  })
  assert.doesNotMatch(latin?.subject ?? '', /[\u2066-\u2069]/)
})
