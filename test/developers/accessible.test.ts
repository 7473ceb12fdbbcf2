import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { signedInAs } from '../helpers/dashboard.ts'
import { opened, openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'
import { axeFinds, cutOff } from '../pages/accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../pages/browser.ts'
import { busyDeveloper } from './world.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

test(
  'axe finds nothing on the pages for developers, and nothing is cut off, in both themes and widths',
  ON_BROWSER,
  async () => {
    const { merchant, pages } = await busyDeveloper(service, receiver)
    const [cookie] = (await signedInAs(service, merchant, { steppedUpMs: 6 * 60_000 })).cookies()
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
        for (const [name, path] of Object.entries(pages)) {
          await page.goto(`${service.url}${path}`)
          // Everything that is folded away counts too.
          await page.locator('details').evaluateAll((all: any[]) => {
            for (const one of all) one.open = true
          })
          if (process.env.SHOTS)
            await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}.png`, fullPage: true })
          found.push(
            ...[
              ...(await axeFinds(page)),
              ...(await cutOff(page)).filter((one) => one.startsWith('scrolls')),
            ].map((one) => `${name}, ${size}: ${one}`),
          )
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
