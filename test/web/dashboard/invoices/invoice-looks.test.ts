import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { made, opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../browser/browser.ts'
import { makeInvoice } from './making.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant({ name: 'W'.repeat(70) }))
const BASE = '/dashboard/test/invoices'
const PHONE = { viewport: { width: 320, height: 640 } }
const DESKTOP = { viewport: { width: 1280, height: 900 } }
const WORDS =
  'Two bags of cement of fifty kilos each, brought to the gate of the school at Nakasero and carried to the store behind it'

const isWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
/** Of each list on the page: by how many pixels it can be scrolled down and to the side. */
const scrolls = (page: Page) =>
  page
    .locator('.scroll')
    .evaluateAll((lists) => lists.map((it) => [it.scrollHeight - it.clientHeight, it.scrollWidth - it.clientWidth]))

test(
  'an invoice with long words fits on a phone and a desktop, and what is sold stands whole on its paper',
  ON_BROWSER,
  async () => {
    const owner = await signedInAs(service, shop)
    const long = 'w'.repeat(100)
    const id = await makeInvoice(owner, BASE, {
      ...{ name: long, description_1: `${long} ${long}`.slice(0, 120), note: long.repeat(5) },
      ...{ description_2: WORDS, quantity_2: '1', price_2: '1,234,567' },
    })
    await service.client(shop.keys.test).charge({ amount: 9_999_999, reference: `INV-${'9'.repeat(200)}` })
    await service.client(shop.keys.test).charge({ customer: { phone: '0700000001' } })
    service.pass(3000)
    await service.run('follow-charges')
    const [cookie] = owner.cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      for (const size of [PHONE, DESKTOP]) {
        const { page, context } = await newVisitor(browser, { own: [service.url], javaScriptEnabled: true, ...size })
        await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
        for (const path of [
          BASE,
          `${BASE}/${id}`,
          `${BASE}/${id}/print`,
          `${BASE}/${id}/mail`,
          '/dashboard/test/charges',
          `/pay/${id}`,
        ]) {
          await page.goto(`${service.url}${path}`)
          assert.equal(await isWide(page), false, `${path} at ${size.viewport.width}`)
          for (const moved of await scrolls(page))
            assert.deepEqual(moved, [0, 0], `a list of ${path} at ${size.viewport.width}`)
        }
        await page.goto(`${service.url}${BASE}/${id}/print`)
        const cut = await page
          .locator('.sheet td bdi')
          .evaluateAll(
            (texts) =>
              texts.filter(
                (it) => getComputedStyle(it).overflow !== 'visible' && getComputedStyle(it).display !== 'inline',
              ).length,
          )
        assert.equal(cut, 0, 'no line of the paper is cut')
        const heights = await page.locator('.sheet tbody td.figure').evaluateAll((cells) =>
          cells.map((it) => {
            const range = document.createRange()
            range.selectNodeContents(it)
            return range.getClientRects().length
          }),
        )
        assert.deepEqual(new Set(heights), new Set([1]), 'no figure is broken into lines')
        await context.close()
      }
    } finally {
      await browser.close()
    }
  },
)
