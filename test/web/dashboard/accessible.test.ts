import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { SUPPORT } from '../../helpers/web/help.ts'
import { axeFinds, cutOff, OF_LOOKS } from '../browser/accessible.ts'
import { launchBrowser, ON_BROWSER } from '../browser/browser.ts'
import { openedForBrowser } from '../browser/states/world-of-file.ts'
import { HOSTILE_WORDS } from './whole/hostile-words.ts'
import { pagesOf } from './whole/places.ts'
import { wholeShop } from './whole/shop.ts'
import { unfold, walkerOf } from './whole/walker.ts'

const NARROW = { width: 320, height: 600 }
// They answer with a file.
const FILES = ['/wallet/statements/:period', '/bulk/:id/mend', '/bulk/template.csv', '/bulk/template.xlsx']

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, ...SUPPORT } }),
)
const shop = made(() => wholeShop(service, receiver, HOSTILE_WORDS))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

/** Each declared page once, about an object where it is about one. */
function addresses(): string[] {
  const pages = pagesOf(shop).filter(({ path }) => !FILES.includes(path))
  return pages
    .filter((page, nth) => pages.findIndex(({ path }) => path === page.path) === nth)
    .map(({ address }) => address)
}

/** What merchants and customers wrote has become an element or has run. */
const hits = async (page: Page): Promise<string[]> => {
  const ran = await page.evaluate('typeof hit !== "undefined"')
  const inserted = await page.locator('main :is(b, script, base, meta, iframe), [onerror], [onload], [onfocus]').count()
  return [...(ran ? ['hostile text ran'] : []), ...(inserted > 0 ? ['hostile text became an element'] : [])]
}

const scrolls = async (page: Page) => (await cutOff(page)).filter((one) => one.startsWith('scrolls'))

for (const { size, colorScheme, rules } of [
  { size: 'phone', colorScheme: 'light', rules: undefined },
  { size: 'desktop', colorScheme: 'dark', rules: OF_LOOKS },
] as const)
  test(
    `every page on a ${size}, ${colorScheme}: axe finds nothing, nothing scrolls sideways, and hostile words are words`,
    ON_BROWSER,
    async () => {
      const { page, context, troubles } = await walkerOf(screen.browser, service, {
        person: shop.people.owner,
        size,
        colorScheme,
      })
      const found: string[] = []
      for (const address of addresses()) {
        await page.goto(`${service.url}${address}`)
        await unfold(page)
        const wrong = [...(await axeFinds(page, rules)), ...(await scrolls(page)), ...(await hits(page))]
        if (size === 'phone') {
          await page.setViewportSize(NARROW)
          wrong.push(...(await scrolls(page)).map((one) => `in a window of 320 pixels: ${one}`))
          await page.setViewportSize({ width: 390, height: 844 })
        }
        found.push(...wrong.map((one) => `${address}: ${one}`))
      }
      assert.deepEqual([...found, ...troubles()], [])
      await context.close()
    },
  )
