import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { readGuide } from '../../../src/web/docs/guide.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { launchBrowser, newVisitor, ON_BROWSER, SIZES } from './browser.ts'
import { openedForBrowser } from './states/world-of-file.ts'
import { walkWithAxe } from './walk-with-axe.ts'

const service = opened(() => startService())
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

const GUIDE = readGuide(ENDPOINTS, '').map(({ path }) => path)
const PAGES = ['/', ...GUIDE, '/docs?q=refund', '/docs?q=zebra', '/changelog', '/status']

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
    await page.locator('.swagger-ui .info a[href*="/docs/webhooks"]').first().waitFor()
    await measure('/docs/reference')
    assert.deepEqual(wide, [])
    assert.deepEqual(troubles(), [])
  })

test('somebody without script searches the guide and lands on the place', ON_BROWSER, async () => {
  const { page } = await newVisitor(screen.browser, { own: [service.url], javaScriptEnabled: false })
  await page.goto(`${service.url}/docs`)
  await page.getByLabel('Search the documentation').fill('dispense secrets')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'Requests a minute', exact: true }).click()
  assert.equal(page.url(), `${service.url}/docs/limits#requests-a-minute`)
  await page.getByRole('heading', { name: 'Requests a minute' }).waitFor()
})

test('somebody who types sees at once which sections have the words', ON_BROWSER, async () => {
  const { page, troubles } = await newVisitor(screen.browser, { own: [service.url] })
  await page.goto(`${service.url}/docs`)
  await page.getByLabel('Search the documentation').fill('dispense secrets')
  await page
    .getByRole('list', { name: 'Sections with these words' })
    .getByRole('link', { name: 'Requests a minute' })
    .click()
  assert.equal(page.url(), `${service.url}/docs/limits#requests-a-minute`)
  assert.deepEqual(troubles(), [])
})

test('axe finds nothing on the pages of the documentation, in both themes and widths', ON_BROWSER, async () => {
  const named = Object.fromEntries(PAGES.map((path) => [path.replace(/\W+/g, '-'), path]))
  assert.deepEqual(await walkWithAxe(service, null, named), [])
})

test('an example is shown in the language that was chosen, on other pages too', ON_BROWSER, async () => {
  const { page, troubles } = await newVisitor(screen.browser, { own: [service.url] })
  await page.goto(`${service.url}/docs`)
  await page.getByText('curl_init').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'PHP' }).click()
  await page.getByText('curl_init').waitFor()
  assert.equal(await page.getByText('urllib.request.Request').isVisible(), false)
  await page.goto(`${service.url}/docs/webhooks`)
  await page.getByText('hash_hmac').waitFor()
  assert.equal(await page.getByRole('button', { name: 'PHP' }).getAttribute('aria-pressed'), 'true')
  assert.equal(await page.getByText('timingSafeEqual').first().isVisible(), false)
  assert.deepEqual(troubles(), [])
})

test('without script every language of an example is shown with its name', ON_BROWSER, async () => {
  const { page } = await newVisitor(screen.browser, { own: [service.url], javaScriptEnabled: false })
  await page.goto(`${service.url}/docs`)
  for (const text of ['JavaScript', 'Python', 'PHP', 'curl_init', 'urllib.request.Request'])
    await page
      .getByText(text, { exact: /^[A-Z]/.test(text) })
      .first()
      .waitFor()
})

test('a link to a section of the old one page ends on the page where it stands now', ON_BROWSER, async () => {
  const { page } = await newVisitor(screen.browser, { own: [service.url] })
  await page.goto(`${service.url}/docs#statements`)
  await page.waitForURL(`${service.url}/docs/payments#statements`)
  await page.getByRole('heading', { name: 'Statements' }).waitFor()
})
