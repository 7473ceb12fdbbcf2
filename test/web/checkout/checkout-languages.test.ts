import assert from 'node:assert/strict'
import test from 'node:test'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = opened(() => startLiveService())
const shop = made(() => payShop(service))

const languageOf = (page: Page) => /<html lang="([a-z]+)"/.exec(page.text)?.[1]
const switches = (page: Page) =>
  [...page.text.matchAll(/<a href="([^"]*[?&;]lang=[a-z]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

test('the language is the one requested, else the one chosen before, else that of the browser', async () => {
  const link = await shop.testLink()
  const browser = visitor(service, { 'accept-language': 'sw-UG,sw;q=0.9,en;q=0.5' })
  assert.equal(languageOf(await browser.get(`/pay/${link}`)), 'sw')
  const chosen = await browser.get(`/pay/${link}?lang=lg`)
  assert.equal(languageOf(chosen), 'lg')
  assert.equal(chosen.setCookies.length, 1)
  assert.match(chosen.setCookies[0] ?? '', /^lang=lg; Path=\/pay; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  assert.equal(languageOf(await browser.get(`/pay/${link}`)), 'lg', 'from now on')
  assert.equal(languageOf(await browser.get(`/pay/@${shop.handle}`)), 'lg', 'on every page')
  assert.equal(languageOf(await browser.get(`/pay/${link}?lang=en`)), 'en')
  const unknown = await browser.get(`/pay/${link}?lang=xx`)
  assert.deepEqual([languageOf(unknown), unknown.setCookies], ['en', []], 'what is none changes nothing')
})

for (const [wishes, language] of [
  ['', 'en'],
  ['de-DE,de;q=0.9', 'en'],
  ['de, lg;q=0.3', 'lg'],
  ['en;q=0.1, sw;q=0.7', 'sw'],
  ['sw;q=0, lg', 'lg'],
  ['LG-ug', 'lg'],
  ['*', 'en'],
  [`${'x,'.repeat(5000)}sw`, 'en'],
  [';;;===,,,q=', 'en'],
] as const)
  test(`a browser that asks for ${JSON.stringify(wishes.slice(0, 30))} reads ${language}`, async () => {
    const link = await shop.testLink()
    const page = await visitor(service, { 'accept-language': wishes }).get(`/pay/${link}`)
    assert.equal(languageOf(page), language)
  })

test('every page is in the chosen language, including forms shown again and "not found" pages', async () => {
  const link = await shop.testLink()
  const browser = visitor(service)
  await browser.get(`/pay/${link}?lang=sw`)
  assert.equal(languageOf(await browser.post(`/pay/${link}/submit`, {})), 'sw')
  assert.equal(languageOf(await browser.get(`/pay/${link}0`)), 'sw')
  await pay(browser, link, { phone: '0700000001' })
  assert.equal(languageOf(await browser.get(`/pay/${link}/status`)), 'sw')
  await sandboxDecides(service)
  assert.equal(languageOf(await browser.get(`/pay/${link}/status`)), 'sw')
  assert.equal(languageOf(await browser.post(`/pay/@${shop.handle}/pay`, { amount: '1' })), 'sw')
})

test('the language links lead to the same page and keep its query', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const browser = visitor(service)
  const { location } = await pay(browser, link, { phone: '0772123456' })
  for (const here of [location, `/pay/${link}`, `/pay/@${shop.handle}?before_id=itm_x&a=b%26c`]) {
    const found = switches(await browser.get(`${here}${here.includes('?') ? '&' : '?'}lang=lg`))
    assert.equal(found.length, 3, here)
    for (const href of found) {
      const url = new URL(href, service.url)
      const was = new URL(here, service.url)
      assert.equal(url.pathname, was.pathname)
      assert.equal(url.searchParams.getAll('lang').length, 1)
      for (const name of ['charge', 'before_id']) assert.equal(url.searchParams.get(name), was.searchParams.get(name))
      const page = await visitor(service).get(href)
      assert.deepEqual([page.status, languageOf(page)], [200, url.searchParams.get('lang')])
    }
  }
})

test('the language links of a form shown again, or of a refusal, lead to a page that exists', async () => {
  const [link, off] = [await shop.testLink(), await shop.testLink()]
  await shop.switchLink(off, 'off')
  const browser = visitor(service)
  const pages = [
    await browser.post(`/pay/${link}/submit`, {}),
    await browser.post(`/pay/${off}/submit`, { channel: 'card', phone: '0772123456' }),
    await browser.post(`/pay/@${shop.handle}/pay`, { amount: 'x' }),
  ]
  assert.deepEqual(
    pages.map(({ status }) => status),
    [400, 409, 400],
  )
  for (const page of pages) for (const href of switches(page)) assert.equal((await browser.get(href)).status, 200, href)
})
