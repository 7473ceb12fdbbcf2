import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { wholeShop } from '../dashboard/whole/shop.ts'
import { walkerOf } from '../dashboard/whole/walker.ts'
import { launchBrowser, ON_BROWSER } from './browser.ts'
import { openedForBrowser } from './states/world-of-file.ts'

const receiver = opened(() => startReceiver())
const service = opened(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

// A4 with the margins that browsers leave, upright and lying, in pixels of CSS.
const PAPERS = { upright: { width: 718, height: 1047 }, lying: { width: 1047, height: 718 } }

test('on paper a page is as wide as the paper, has no navigation, and cuts no column off', ON_BROWSER, async () => {
  const { ids, people } = shop
  const { page } = await walkerOf(screen.browser, service, { person: people.owner, size: 'desktop' })
  await page.emulateMedia({ media: 'print' })
  const test = '/dashboard/test'
  const wrong: string[] = []
  for (const [name, paper] of Object.entries(PAPERS)) {
    await page.setViewportSize(paper)
    for (const path of [
      test,
      `${test}/charges`,
      `${test}/charges/${ids.test['/charges']}`,
      `${test}/payouts`,
      '/dashboard/wallet',
      `${test}/bulk/${ids.test['/bulk']}`,
    ]) {
      await page.goto(`${service.url}${path}`)
      const seen: any = await page.evaluate(`(() => {
        const main = document.querySelector('main').getBoundingClientRect()
        const wide = [...document.querySelectorAll('main table, main .scroll')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        const hidden = ['.side', '.bar', '.foot'].every((one) => getComputedStyle(document.querySelector(one)).display === 'none')
        return { width: main.width / innerWidth, wide: wide.length, hidden }
      })()`)
      if (seen.width < 0.95 || seen.wide > 0 || !seen.hidden) wrong.push(`${path} ${name}: ${JSON.stringify(seen)}`)
    }
  }
  assert.deepEqual(wrong, [])
})
