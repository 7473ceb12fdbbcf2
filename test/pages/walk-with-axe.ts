import assert from 'node:assert/strict'
import type { Planted } from '../helpers/dashboard.ts'
import { axeFinds, cutOff, OF_LOOKS } from './accessible.ts'
import { launchBrowser, newVisitor, type Size } from './browser.ts'

const LOOKS: readonly { size: Size; colorScheme: 'light' | 'dark'; rules?: readonly string[] }[] = [
  { size: 'phone', colorScheme: 'light' },
  { size: 'desktop', colorScheme: 'dark', rules: OF_LOOKS },
]

/**
 * What axe finds on these pages for somebody who has signed in, and what scrolls sideways, with everything unfolded, on a phone in light
 * colours, and what may differ on a desktop in dark ones. With SHOTS a picture of each is written there.
 */
export async function walkWithAxe(
  service: { url: string },
  person: Planted,
  pages: Readonly<Record<string, string>>,
): Promise<string[]> {
  const [cookie] = person.cookies()
  assert.ok(cookie)
  const browser = await launchBrowser()
  const found: string[] = []
  try {
    for (const { size, colorScheme, rules } of LOOKS) {
      const { context, page, troubles } = await newVisitor(browser, { size, colorScheme, own: [service.url] })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      for (const [name, path] of Object.entries(pages)) {
        const reply = await page.goto(`${service.url}${path}`)
        assert.equal(reply?.status(), 200, name)
        await page.locator('details').evaluateAll((all: any[]) => {
          for (const one of all) one.open = true
        })
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}.png`, fullPage: true })
        const wide = (await cutOff(page)).filter((one) => one.startsWith('scrolls'))
        found.push(...[...(await axeFinds(page, rules)), ...wide].map((one) => `${name}, ${size}: ${one}`))
      }
      assert.deepEqual(troubles(), [])
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return found
}
