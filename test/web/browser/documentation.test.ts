import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { launchBrowser, newVisitor, ON_BROWSER, SIZES } from './browser.ts'
import { openedForBrowser } from './states/world-of-file.ts'

const service = opened(() => startService())
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

const PAGES = ['/', '/docs', '/docs?q=refund', '/docs?q=zebra', '/docs/errors', '/docs/machines', '/changelog']

for (const size of ['phone', 'desktop'] as const)
  test(`no page of the documentation scrolls sideways on a ${size}`, ON_BROWSER, async () => {
    const { width } = SIZES[size].viewport
    const { page, troubles } = await newVisitor(screen.browser, { size, own: [service.url] })
    const wide: string[] = []
    const measure = async (path: string) => {
      const content = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (content > width) wide.push(`${path}: ${content}`)
    }
    for (const path of PAGES) {
      await page.goto(`${service.url}${path}`)
      await measure(path)
    }
    await page.goto(`${service.url}/docs/reference`)
    await page.locator('.swagger-ui .info table').first().waitFor()
    await measure('/docs/reference')
    assert.deepEqual(wide, [])
    assert.deepEqual(troubles(), [])
  })

test('somebody without script searches the guide and lands on the place', ON_BROWSER, async () => {
  const { page } = await newVisitor(screen.browser, { own: [service.url], javaScriptEnabled: false })
  await page.goto(`${service.url}/docs`)
  await page.getByLabel('Search the documentation').fill('dispense secrets')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'Limits', exact: true }).click()
  assert.equal(page.url(), `${service.url}/docs#limits`)
  await page.getByRole('heading', { name: 'Limits' }).waitFor()
})
