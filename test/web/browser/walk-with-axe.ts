import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Browser } from '../../helpers/web/browser.ts'
import { axeFinds, cutOff, OF_LOOKS } from './accessible.ts'
import { launchBrowser, newVisitor, SIZES, type Size } from './browser.ts'

const NARROW = { width: 320, height: 600 }

const LOOKS: readonly { size: Size; colorScheme: 'light' | 'dark'; rules?: readonly string[] }[] = [
  { size: 'phone', colorScheme: 'light' },
  { size: 'desktop', colorScheme: 'dark', rules: OF_LOOKS },
]

/**
 * What axe finds on these pages for somebody who has signed in (null: nobody), and what scrolls sideways, with everything unfolded, on a phone in
 * light colours and in a window of 320 pixels, and what may differ on a desktop in dark ones. `isToldApart`: of no two fields or buttons
 * the names may be the same. With SHOTS a picture of each is written there.
 */
export async function walkWithAxe(
  service: { url: string },
  person: Pick<Browser, 'cookies'> | null,
  pages: Readonly<Record<string, string>>,
  isToldApart = false,
): Promise<string[]> {
  const cookies = person === null ? [] : person.cookies().slice(0, 1)
  assert.ok(person === null || cookies.length === 1, 'the person is signed in')
  const browser = await launchBrowser()
  const found: string[] = []
  try {
    for (const { size, colorScheme, rules } of LOOKS) {
      const { context, page, troubles } = await newVisitor(browser, { size, colorScheme, own: [service.url] })
      await context.addCookies(cookies.map(({ name, value }) => ({ name, value, url: service.url })))
      for (const [name, path] of Object.entries(pages)) {
        const reply = await page.goto(`${service.url}${path}`)
        assert.equal(reply?.status(), 200, name)
        await page.locator('details').evaluateAll((all: any[]) => {
          for (const one of all) one.open = true
        })
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}.png`, fullPage: true })
        const wide = [...(await scrolls(page)), ...(size === 'phone' ? await whenNarrow(page) : [])]
        const alike = size === 'phone' && isToldApart ? await namedAlike(page) : []
        found.push(...[...(await axeFinds(page, rules)), ...wide, ...alike].map((one) => `${name}, ${size}: ${one}`))
      }
      assert.deepEqual(troubles(), [])
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return found
}

const scrolls = async (page: Page) => (await cutOff(page)).filter((one) => one.startsWith('scrolls'))

async function whenNarrow(page: Page): Promise<string[]> {
  await page.setViewportSize(NARROW)
  const found = (await scrolls(page)).map((one) => `in a window of 320 pixels: ${one}`)
  await page.setViewportSize(SIZES.phone.viewport)
  return found
}

/** Names that two fields or buttons outside of lists share: whoever hears the page cannot tell them apart. A choice stands in its own group. */
async function namedAlike(page: Page): Promise<string[]> {
  const names: string[] = await page
    .locator('main form')
    .locator('input:not([type=hidden]):not([type=radio]), select, textarea, button, fieldset')
    .evaluateAll((all: any[]) =>
      all
        .filter((one) => one.closest('tr, li') === null)
        .map((one) => {
          const label = one.labels?.[0] ?? one.querySelector('legend') ?? one
          return one.getAttribute('aria-label') ?? label.textContent.trim()
        }),
    )
  const twice = names.filter((name, nth) => names.indexOf(name) !== nth)
  return [...new Set(twice)].map((one) => `two fields or buttons are called ${one}`)
}
