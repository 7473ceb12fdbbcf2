import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { renderPage } from '../../../src/web/checkout/pages/render.tsx'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { EXAMPLE_SCREENS } from '../../helpers/vending/display-views.ts'
import { makeOrder, payOrder, submitPayment, type VendingShop, vendingShop } from '../../helpers/vending/vending.ts'
import { launchBrowser, MACHINE_SIZES, newVisitor, ON_BROWSER } from './browser.ts'

const POLL_MS = 2000
const REPORT_MS = 2000
const LONG_NAME = 'Nakasero Fresh Juice and Cold Drinks Company Ltd'

// The codes are read by another library than the one that writes them. Its program comes from the package, not from the network.
const program = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(program).buffer } })

let service: TestService
let shop: VendingShop
let browser: Browser
before(async () => {
  if (ON_BROWSER.skip) return
  service = await startService()
  shop = await vendingShop(service, { name: 'Cool Drinks' })
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await service?.close()
})

type Order = { id: string; url: string }
async function newOrder(machine = 'M-OK'): Promise<Order> {
  const { order_id, display_url } = await makeOrder(shop, { machine, amount: 3500 })
  return { id: order_id, url: display_url }
}

type Screen = { scripts?: boolean; expected?: RegExp; size?: { width: number; height: number } }
/** Runs a story in a machine's browser, and fails when anything unexpected goes wrong in it. */
async function onScreen(
  story: (page: Page) => Promise<void>,
  { scripts = true, expected = /^$/, size = MACHINE_SIZES[0] }: Screen = {},
): Promise<void> {
  const coming = { size: 'desktop', viewport: size, javaScriptEnabled: scripts, own: [service.url] } as const
  const { context, page, troubles } = await newVisitor(browser, coming)
  try {
    await story(page)
    assert.deepEqual(
      troubles().filter((text) => !expected.test(text)),
      [],
    )
  } finally {
    await context.close()
  }
}
const sees = (page: Page, name: string) => page.locator(`main.${name}`).waitFor()
async function told(orderId: string): Promise<void> {
  await payOrder(service, orderId)
  await service.run('dispense')
}

test('the screen follows its order by itself, and is never loaded again for it', ON_BROWSER, async () => {
  await onScreen(async (page) => {
    const { id, url } = await newOrder()
    await page.clock.install()
    await page.goto(url)
    await page.evaluate('window.stays = true')
    assert.ok((await page.locator('main').innerText()).includes('3,500'))
    await submitPayment(service, id)
    await page.clock.runFor(POLL_MS)
    await sees(page, 'paying')
    assert.equal(await page.locator('img').count(), 0, 'nobody else may scan it now')
    service.pass(REPORT_MS)
    await service.run('follow-charges')
    await service.run('dispense')
    await page.clock.runFor(POLL_MS)
    await sees(page, 'releasing')
    service.pass(REPORT_MS)
    await service.run('dispense')
    await page.clock.runFor(POLL_MS)
    await sees(page, 'collect')
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), EN.display.collect)
    assert.equal(await page.title(), EN.display.collect)
    assert.equal(await page.evaluate('window.stays'), true)
  })
})

longTest('a camera in front of the screen reads the address of the payment, at every size', ON_BROWSER, async () => {
  const { id, url } = await newOrder()
  for (const size of MACHINE_SIZES)
    await onScreen(
      async (page) => {
        await page.goto(url)
        const picture = await page.screenshot()
        const [code] = await readBarcodes(new Uint8Array(picture), { formats: ['QRCode'] })
        assert.equal(code?.text, `${service.url}/pay/${id}`, JSON.stringify(size))
      },
      { size },
    )
})

longTest('the time that is left runs down on the screen', ON_BROWSER, async () => {
  await onScreen(async (page) => {
    const { url } = await newOrder()
    await page.clock.install()
    await page.goto(url)
    const left = async () => {
      const [, minutes, seconds] = /(\d):(\d\d)$/.exec(await page.locator('#left').innerText()) ?? []
      return Number(minutes) * 60 + Number(seconds)
    }
    const before = await left()
    await page.clock.runFor(20_000)
    const passed = before - (await left())
    assert.ok(passed >= 20 && passed < 25, `${passed} seconds`)
    await page.clock.runFor(200_000)
    assert.equal(await left(), 0)
  })
})

longTest('a lost line leaves the screen as it is, says so, and is forgotten when it is back', ON_BROWSER, async () => {
  const cut = /Failed to load resource|ERR_FAILED/
  await onScreen(
    async (page) => {
      const { id, url } = await newOrder()
      await page.clock.install()
      await page.goto(url)
      let asked = 0
      await page.route('**/state.json*', (route) => {
        asked += 1
        return route.abort()
      })
      await told(id)
      const note = page.getByText(EN.display.offline)
      for (let misses = 0; misses < 3; misses += 1) {
        assert.equal(await note.isVisible(), false)
        const failed = page.waitForEvent('requestfailed')
        await page.clock.runFor(POLL_MS * 2 ** misses)
        await failed
      }
      await note.waitFor()
      assert.equal(await page.locator('main.scan').count(), 1)
      assert.ok(asked <= 4, `asked ${asked} times: less and less often`)
      await page.unroute('**/state.json*')
      await page.clock.runFor(POLL_MS * 2 ** 3)
      await sees(page, 'releasing')
      assert.equal(await note.isVisible(), false)
    },
    { expected: cut },
  )
})

longTest('without scripts the screen follows its order too', ON_BROWSER, async () => {
  await onScreen(
    async (page) => {
      const { id, url } = await newOrder('M-1')
      await page.goto(url)
      await sees(page, 'scan')
      await told(id)
      await sees(page, 'releasing')
    },
    { scripts: false },
  )
})

// Debian shows Noto Sans where its fonts are installed. Fonts of this kind are at most about a tenth wider.
const FONTS: Record<string, string> = {
  "the system's font": '',
  'Noto Sans': notoSans('100%'),
  'a font a tenth wider': notoSans('110%'),
}

/** Noto Sans from its package, scaled by this factor, under the first font name in the style of the screens. */
function notoSans(size: string): string {
  const faces = [400, 700].map((weight) => {
    const file = `@fontsource/noto-sans/files/noto-sans-latin-${weight}-normal.woff2`
    const font = readFileSync(createRequire(import.meta.url).resolve(file)).toString('base64')
    const source = `url(data:font/woff2;base64,${font})`
    return `@font-face{font-family:Noto Sans;font-weight:${weight};size-adjust:${size};src:${source}}`
  })
  return faces.join('')
}

/** By how many pixels the page is too wide and too high, once its fonts are loaded. */
const OVER = `document.fonts.ready.then(() =>
  [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight])`
const FONTS_LOADED = `document.fonts.ready.then(() => [...document.fonts].filter((font) => font.status === 'loaded').length)`

for (const [font, faces] of Object.entries(FONTS))
  longTest(
    `C25 every screen fits in ${font}, in every language, whatever the shop and its products are called`,
    ON_BROWSER,
    async () => {
      for (const size of [...MACHINE_SIZES, { width: 1280, height: 720 }, { width: 1920, height: 1080 }])
        await onScreen(
          async (page) => {
            for (const { name, view, setting } of EXAMPLE_SCREENS)
              for (const language of ['en', 'lg', 'sw'] as const) {
                const named = setting.shop && { name: LONG_NAME, handle: 'x' }
                const html = renderPage(view, { ...setting, shop: named, mode: 'test', language })
                await page.setContent(html.replace('</head>', `<style>${faces}</style></head>`))
                const what = `${name} in ${language} at ${size.width}x${size.height}`
                assert.deepEqual(await page.evaluate(OVER), [0, 0], what)
                if (faces !== '') assert.ok(((await page.evaluate(FONTS_LOADED)) as number) > 0, what)
              }
          },
          { size, scripts: false },
        )
    },
  )
