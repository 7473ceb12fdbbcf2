import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { ON_BROWSER } from './browser.ts'
import { focused, pressOn, type Stop, tabTo, typeInto } from './keys.ts'
import { PHONES, SHOP_NAME } from './states/world.ts'
import { worldOfFile } from './states/world-of-file.ts'
import { sees } from './steps.ts'

const world = worldOfFile()

/** The sandbox decides the payment, and time passes until the waiting page asks for its status. */
async function decide(page: Page): Promise<void> {
  await world.decide()
  await page.clock.runFor(2500)
}

test('a whole payment, a failure and a report are made with the keyboard alone', ON_BROWSER, async () => {
  const link = await world.link()
  await world.visit(async (page) => {
    await page.clock.install()
    await page.goto(link.url)
    await tabTo(page, 'op1_momo')
    await page.keyboard.press('ArrowDown')
    assert.equal((await focused(page)).is, 'op2_money')
    await typeInto(page, 'phone', PHONES.insufficient_funds)
    await pressOn(page, EN.pay.addEmail, 'Space')
    await typeInto(page, 'email', 'joy@example.com')
    await tabTo(page, 'phone', 'Shift+Tab')
    await pressOn(page, EN.pay.button('UGX 25,000'), 'Space')
    await sees(page, EN.waiting.title)
    await decide(page)
    await sees(page, EN.failed.title)
    await pressOn(page, EN.failed.again, 'Enter')
    await sees(page, EN.pay.title(SHOP_NAME))
    await tabTo(page, 'phone')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(PHONES.pays)
    await page.keyboard.press('Enter')
    await sees(page, EN.waiting.title)
    await decide(page)
    await sees(page, EN.receipt.fresh)
    await pressOn(page, EN.receipt.report, 'Enter')
    await sees(page, EN.report.title)
    await pressOn(page, 'not_delivered', 'Space')
    await typeInto(page, 'details', 'It never came.')
    await pressOn(page, EN.report.send, 'Enter')
    await sees(page, EN.report.thanks)
  })
  assert.equal((await world.service.rows("select from disputes where reason = 'not_delivered'")).length, 1)
})

test('a gift card is applied and taken off again with the keyboard alone', ON_BROWSER, async () => {
  const [link, code] = [await world.liveLink(), await world.giftCard(10_000)]
  await world.visit(async (page) => {
    await page.goto(link.url)
    await pressOn(page, EN.pay.haveCard, 'Enter')
    await typeInto(page, 'code', code)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: EN.pay.button('UGX 15,000') }).waitFor()
    assert.equal(await page.locator('s').innerText(), 'UGX 25,000')
    await pressOn(page, EN.pay.remove, 'Space')
    await page.getByRole('button', { name: EN.pay.button('UGX 25,000') }).waitFor()
  })
})

test('the focus goes down the page in the order of reading, and reaches everything', ON_BROWSER, async () => {
  const pages = [(await world.liveLink({ cancel_url: `${world.site.origin}/cart` })).url, (await world.link()).url]
  for (const url of pages)
    await world.visit(async (page) => {
      await page.goto(url)
      const reachable = 'a[href], summary, button, input:not([type=hidden])'
      // A group of radio buttons is one stop; hidden elements are none.
      const stops =
        (await page.locator(reachable).filter({ visible: true }).count()) -
        Math.max(0, (await page.getByRole('radio').count()) - 1)
      const found: Stop[] = []
      for (let stop = 0; stop < stops; stop += 1) {
        await page.keyboard.press('Tab')
        found.push(await focused(page))
      }
      assert.deepEqual(
        found.filter(({ seen }) => !seen),
        [],
      )
      assert.equal(new Set(found.map(({ is }) => is)).size, stops, found.map(({ is }) => is).join(', '))
      const tops = found.map(({ top }) => Math.round(top))
      assert.deepEqual(
        tops,
        tops.toSorted((a, b) => a - b),
      )
    })
})
