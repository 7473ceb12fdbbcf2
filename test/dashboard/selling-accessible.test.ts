import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedInAs } from '../helpers/dashboard.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'
import { axeFinds, cutOff } from '../pages/accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../pages/browser.ts'
import { busyShop } from './selling-world.ts'

const service = openedAndVerified(() => startService())

test(
  'axe finds nothing on the pages of a shop and of its customers, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages, customers } = await busyShop(service)
    const [cookie] = (await signedInAs(service, merchant)).cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    const found: string[] = []
    try {
      for (const [size, colorScheme] of [
        ['phone', 'light'],
        ['desktop', 'dark'],
      ] as const satisfies [Size, string][]) {
        const { context, page, troubles } = await newVisitor(browser, {
          size,
          colorScheme,
          own: [service.url],
        })
        await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
        for (const [name, path] of Object.entries({ ...pages, ...customers })) {
          const reply = await page.goto(`${service.url}${path}`)
          assert.equal(reply?.status(), 200, name)
          await page.locator('details').evaluateAll((all: any[]) => {
            for (const one of all) one.open = true
          })
          if (process.env.SHOTS)
            await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}.png`, fullPage: true })
          const wide = (await cutOff(page)).filter((one) => one.startsWith('scrolls'))
          found.push(...[...(await axeFinds(page)), ...wide].map((one) => `${name}, ${size}: ${one}`))
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
