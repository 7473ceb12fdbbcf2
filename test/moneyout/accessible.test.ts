import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedInAs } from '../helpers/dashboard.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { startPayingService } from '../helpers/payouts.ts'
import { axeFinds, cutOff } from '../pages/accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../pages/browser.ts'
import { payingShop } from './world.ts'

const service = openedAndVerified(() => startPayingService())

test(
  'axe finds nothing on the pages of money out, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages } = await payingShop(service)
    const [cookie] = (await signedInAs(service, merchant, { steppedUpMs: 6 * 60_000 })).cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    const found: string[] = []
    try {
      for (const [size, colorScheme] of [
        ['phone', 'light'],
        ['desktop', 'dark'],
      ] as const satisfies [Size, string][]) {
        const own = { size, colorScheme, own: [service.url] }
        const { context, page, troubles } = await newVisitor(browser, own)
        await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
        for (const [name, path] of Object.entries(pages)) {
          await page.goto(`${service.url}${path}`)
          // Everything that is folded away counts too.
          await page.locator('details').evaluateAll((all: any[]) => {
            for (const one of all) one.open = true
          })
          if (process.env.SHOTS)
            await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}.png`, fullPage: true })
          const sideways = (await cutOff(page)).filter((one) => one.startsWith('scrolls'))
          found.push(...[...(await axeFinds(page)), ...sideways].map((one) => `${name}, ${size}: ${one}`))
        }
        assert.deepEqual(troubles(), [])
        await context.close()
      }
    } finally {
      await browser.close()
    }
    assert.deepEqual(found, [])
  },
)
