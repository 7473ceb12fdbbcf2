import assert from 'node:assert/strict'
import test from 'node:test'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

let links: Record<string, string>
const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))
const somebody = visitor(service)
prepare(async () => {
  links = await linksOfEveryState()
})

/** A link in every state that has a page of its own. */
async function linksOfEveryState(): Promise<Record<string, string>> {
  const [fresh, live, reusable, off, failed, paid] = await Promise.all([
    shop.testLink(),
    shop.link(),
    shop.testLink({ allow_multiple_uses: true }),
    shop.testLink(),
    shop.testLink(),
    shop.testLink({ success_url: 'https://shop.example/thanks' }),
  ])
  await shop.switchLink(off, 'off')
  await pay(somebody, failed, { phone: '0700000001' })
  await pay(somebody, paid, { phone: '0700000000' })
  await sandboxDecides(service)
  const waiting = await shop.testLink()
  await pay(somebody, waiting, { phone: '0700000000' })
  return { fresh, live, reusable, off, failed, paid, waiting, unknown: `${fresh}0` }
}

const OF_LINK = ['', '/status', '/status.json', '/receipt', '/report', '/report?sent=1', '/qr.png', '/qr.svg']
const OF_SHOP = ['', '/items.json', '/qr.png', '/qr.svg', '/pictures/itm_', '?before_id=itm_x', '?before_id=%00']
const ACTIONS = ['submit', 'retry', 'apply-voucher']

/** Every address that a browser may open. */
const everyPage = () => [
  ...Object.values(links).flatMap((id) => OF_LINK.map((page) => `/pay/${id}${page}`)),
  ...OF_SHOP.map((page) => `/pay/@${shop.handle}${page}`),
  '/pay/@nobody-here',
  '/pay/@nobody-here/items.json',
  '/pay/assets/pay.js',
  '/pay/assets/none.js',
  '/pay',
  '/pay/',
]

const SOURCES = `script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'`
const POLICY =
  `default-src 'none'; ${SOURCES}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'`.split(
    '; ',
  )

/** The headers that every answer must have. */
function assertSafe({ headers, text, status }: Page, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what)
  assert.equal(headers.get('x-frame-options'), 'DENY', what)
  assert.equal(headers.get('referrer-policy'), 'same-origin', what)
  assert.ok(headers.get('permissions-policy'), what)
  if (status === 302) {
    assert.equal(headers.get('cache-control'), 'no-store', what)
    return
  }
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/, what)
  assert.match(policy, /frame-ancestors 'none'/, what)
  if (!headers.get('content-type')?.startsWith('text/html')) return
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe|'unsafe-eval'|\*/, what)
  for (const [tag] of text.matchAll(/<script\b[^>]*>/g)) assert.match(tag, /\ssrc="\/[^/]/, what)
  assert.doesNotMatch(text, /\son[a-z]+="|\sstyle="|javascript:/i, what)
}

test('every page, document, picture and error has the headers that protect a browser', async () => {
  for (const path of everyPage()) assertSafe(await somebody.get(path), path)
  for (const path of everyPage()) assertSafe(await somebody.ask('DELETE', path), `DELETE ${path}`)
  for (const id of Object.values(links))
    for (const action of [...ACTIONS, 'report']) {
      const path = `/pay/${id}/${action}`
      assertSafe(await somebody.post(path, { channel: 'op1_momo' }), `POST ${path}`)
    }
  for (const path of ['/pay/%ff', `/pay/${'x'.repeat(300)}`, '/pay/lnk_/nothing', '/PAY/x', '/pay/x/y/z'])
    assertSafe(await somebody.get(path), path)
})

test('pages of a payment are never cached and have exactly this policy', async () => {
  for (const [state, id] of Object.entries(links))
    for (const page of ['', '/status', '/receipt', '/report']) {
      const { headers, status } = await somebody.get(`/pay/${id}${page}`)
      assert.equal(headers.get('cache-control'), 'no-store', `${state}${page}`)
      if (status === 302) continue
      const parts = (headers.get('content-security-policy') ?? '').split('; ')
      assert.deepEqual(
        parts.map((part) => part.replace(/ 'sha256-[A-Za-z0-9+/=]+'/, '')),
        POLICY,
      )
    }
  const document = await somebody.get(`/pay/${links.paid}/status.json`)
  assert.equal(document.headers.get('cache-control'), 'no-store')
  const qr = await somebody.get(`/pay/${links.paid}/qr.png`)
  assert.equal(qr.headers.get('cache-control'), 'public, max-age=86400')
})

test('looking changes nothing: GET and HEAD of every page write nothing', async () => {
  const rows = () => service.rows('select * from voucher_misses')
  const [before, misses] = [await service.digest(), await rows()]
  for (const path of everyPage()) {
    const seen = await somebody.get(path)
    assert.ok(seen.status < 500, `${seen.status} ${path}`)
    const head = await somebody.ask('HEAD', path)
    assert.deepEqual([head.status, head.text], [seen.status, ''], `HEAD ${path}`)
    assert.equal(head.headers.get('content-type'), seen.headers.get('content-type'), `HEAD ${path}`)
  }
  for (const id of Object.values(links))
    for (const action of ACTIONS)
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const query = '?channel=op1_momo&phone=0772123456&code=AAAA-BBBB-CCCC'
        const page = await somebody.ask(method, `/pay/${id}/${action}${query}`)
        assert.deepEqual([page.status, page.headers.get('allow')], [405, 'POST'], `${method} ${action}`)
      }
  assert.equal(await service.digest(), before)
  assert.deepEqual(await rows(), misses)
})

test('a wrong method gets a 405 that names the right ones; an address without a page gets a 404 in HTML', async () => {
  for (const page of ['', '/status', '/status.json', '/receipt', '/qr.png']) {
    const answer = await somebody.post(`/pay/${links.fresh}${page}`, {})
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], page)
  }
  const report = await somebody.ask('PUT', `/pay/${links.fresh}/report`)
  assert.deepEqual([report.status, report.headers.get('allow')], [405, 'GET, HEAD, POST'])
  for (const path of [`/pay/${links.fresh}/nothing`, '/pay/a/b/c', `/pay/@${shop.handle}/nothing`]) {
    const answer = await somebody.get(path)
    assert.equal(answer.status, 404, path)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  }
})

test('no page or document of a payment shows a phone, a name or an address to somebody who only has the link', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const browser = visitor(service)
  const sent = await pay(browser, link, { phone: '0772654321', email: 'joy.nalule@shops.example' })
  const query = `?${sent.location.split('?')[1]}`
  const stranger = visitor(service)
  const look = async () => {
    for (const page of ['/status', '/status.json', '/receipt', '/report', '']) {
      const { text } = await stranger.get(`/pay/${link}${page}${query}`)
      assert.doesNotMatch(text, /772654|654321|joy\.nalule/, page)
      assert.ok(!text.includes(shop.row.email), page)
    }
    const document = (await stranger.get(`/pay/${link}/status.json${query}`)).body
    assert.deepEqual(Object.keys(document).sort(), [
      'amount',
      'amount_due',
      'channel',
      'currency',
      'expired',
      'failure_reason',
      'link_id',
      'status',
      'success_url',
    ])
  }
  await look()
  assert.match((await stranger.get(sent.location)).text, /7•• ••• 321/)
  await sandboxDecides(service)
  await look()
  const receipt = await stranger.get(`/pay/${link}/receipt${query}`)
  assert.match(receipt.text, /7•• ••• 321/)
  assert.equal((await chargeOn(service, link)).email, 'joy.nalule@shops.example')
})
