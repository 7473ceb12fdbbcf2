import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { dashboardWorld } from '../../helpers/web/dashboard-world.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from './browser.ts'

const WORD = 'W'.repeat(70)
const service = opened(() => startService())
const world = made(() =>
  dashboardWorld(service, { name: WORD, reference: `INV-${'9'.repeat(251)}`, description: WORD, person: WORD }),
)
const BASE = '/dashboard/test'
const LISTS = ['charges', 'payouts', 'payouts/prepared', 'payroll', 'links', 'invoices', 'wallet/settlements']
const WIDTHS = [320, 390, 1280, 1366, 1440]

test(
  'a list with long words is as wide as the screen of a phone and a laptop, and cannot be scrolled in its own box',
  ON_BROWSER,
  async () => {
    const accountant = await signedInAs(service, world.merchant, { role: 'accountant' })
    const checked = await accountant.send(await accountant.get(`${BASE}/payouts/new`), '/payouts/check', {
      ...{ phone: '0700000000', amount: '7,000', name: WORD, reference: WORD },
    })
    await accountant.send(await accountant.follow(checked), '/payouts/prepare', {})
    const [cookie] = world.owner.cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      const { page, context } = await newVisitor(browser, { size: 'desktop', own: [service.url] })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      for (const list of LISTS) {
        await page.goto(`${service.url}${BASE}/${list}`)
        assert.ok((await page.locator('.rows').count()) > 0, `${list} has rows`)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 844 })
          const hidden = await page.evaluate(() => [
            document.documentElement.scrollWidth - innerWidth,
            ...[...document.querySelectorAll('.scroll')].flatMap((box) => [
              box.scrollWidth - box.clientWidth,
              box.scrollHeight - box.clientHeight,
            ]),
          ])
          assert.ok(Math.max(...hidden) <= 0, `${list} at ${width}: ${hidden}`)
        }
      }
    } finally {
      await browser.close()
    }
  },
)
