import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { TEXTS } from '../../../src/web/checkout/texts/texts.ts'
import { newVisitor, ON_BROWSER } from './browser.ts'
import { PHONES, SHOP_NAME } from './states/world.ts'
import { worldOfFile } from './states/world-of-file.ts'
import { DRESS, sendForm } from './steps.ts'

// What a server may send before it hears from the browser again: one round trip.
const FIRST_FLIGHT = 14 * 1024
const LANGUAGES = ['en', 'lg', 'sw'] as const

const world = worldOfFile()

/** Every byte that comes back on the socket, head included. */
function bytesOf(url: string, encoding: string): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', reject).on('close', () => resolve(socket.bytesRead))
    socket
      .resume()
      .write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`)
  })
}

test('the first page comes in one flight, packed or not', ON_BROWSER, async (context) => {
  const full = { description: 'x'.repeat(200), cancel_url: `${world.site.origin}/cart` }
  const pages = {
    'form in test mode': (await world.link(full)).url,
    'form in live mode': (await world.liveLink(full)).url,
  }
  for (const [name, url] of Object.entries(pages))
    for (const encoding of ['gzip, br', 'identity']) {
      const bytes = await bytesOf(url, encoding)
      context.diagnostic(`${name}, ${encoding}: ${bytes} bytes`)
      assert.ok(bytes > 2000 && bytes <= FIRST_FLIGHT, `${name}, ${encoding}: ${bytes} bytes`)
    }
})

test('one answer is enough: with everything else blocked the form has its looks and works', ON_BROWSER, async () => {
  const link = await world.link(DRESS)
  const { context, page } = await newVisitor(world.browser, { own: [] })
  try {
    const blocked: string[] = []
    await page.route('**', (route) => {
      if (route.request().isNavigationRequest()) return route.continue()
      blocked.push(route.request().url())
      return route.abort()
    })
    await page.goto(link.url)
    assert.ok(blocked.length <= 2, `a script and an icon at most: ${blocked}`)
    const [width, paint] = await page.locator('button.go').evaluate((button: any) => {
      const { backgroundColor } = button.ownerDocument.defaultView.getComputedStyle(button)
      return [button.getBoundingClientRect().width, backgroundColor]
    })
    assert.ok(width > 250, 'a button for thumbs')
    assert.notEqual(paint, 'rgba(0, 0, 0, 0)')
    await sendForm(page, PHONES.pays)
    await page.getByRole('heading', { level: 1, name: EN.waiting.title }).waitFor()
    assert.equal((await world.charges(link)).length, 1)
  } finally {
    await context.close()
  }
})

for (const javaScriptEnabled of [true, false])
  test(
    `a language is chosen by its own name and stays, with${javaScriptEnabled ? '' : 'out'} scripts`,
    ON_BROWSER,
    async () => {
      for (const language of LANGUAGES)
        await world.visit(
          async (page) => {
            const texts = TEXTS[language]
            const is = async (heading: string) => {
              await page.getByRole('heading', { level: 1, name: heading }).waitFor()
              assert.equal(await page.locator('html').getAttribute('lang'), language)
              assert.equal(await page.locator('[aria-current=true]').innerText(), texts.ownName)
            }
            const link = await world.link()
            await page.goto(link.url)
            await page.getByRole('link', { name: texts.ownName, exact: true }).click()
            await is(texts.pay.title(SHOP_NAME))
            await sendForm(page, PHONES.user_cancelled)
            await is(texts.waiting.title)
            await world.decide()
            await page.goto(`${link.url}/status`)
            await is(texts.failed.title)
            await page.goto(world.storefront)
            await is(SHOP_NAME)
          },
          { javaScriptEnabled, locale: language === 'en' ? 'sw-UG' : 'en-GB' },
        )
    },
  )

test('a browser that prefers one of our languages is spoken to in it', ON_BROWSER, async () => {
  const { url } = await world.link()
  for (const [locale, language] of [
    ['sw-UG', 'sw'],
    ['lg', 'lg'],
    ['fr-FR', 'en'],
  ] as const)
    await world.visit(
      async (page) => {
        await page.goto(url)
        assert.equal(await page.locator('html').getAttribute('lang'), language)
        await page.getByRole('heading', { level: 1, name: TEXTS[language].pay.title(SHOP_NAME) }).waitFor()
      },
      { locale },
    )
})
