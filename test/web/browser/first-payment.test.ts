import assert from 'node:assert/strict'
import test from 'node:test'
import type { Locator } from 'playwright-core'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from './browser.ts'

const service = openedAndVerified(() => startService())
const MOST_TAPS = 8

test(
  'from the front page a shopkeeper opens an account and sees a test payment paid, in eight taps',
  ON_BROWSER,
  async (t) => {
    const browser = await launchBrowser()
    try {
      const { page, troubles } = await newVisitor(browser, { size: 'phone', own: [service.url] })
      let taps = 0
      const tap = (place: Locator) => {
        taps += 1
        return place.tap()
      }
      // The keyboard of a phone leads from field to field with its own key.
      const write = async (...texts: string[]) => {
        for (const [nth, text] of texts.entries()) {
          if (nth > 0) await page.keyboard.press('Tab')
          await page.keyboard.type(text)
        }
      }
      const startedAt = performance.now()
      await page.goto(service.url)
      await tap(page.getByRole('link', { name: 'Open an account' }).first())
      await tap(page.getByLabel('Name of the business'))
      await write('Nakato and Daughters', 'nakato@shop.invalid', 'a market under the tree')
      await tap(page.getByRole('button', { name: 'Open the account' }))
      await tap(page.getByRole('link', { name: 'Ask for a test payment' }).first())
      await tap(page.getByLabel('Amount'))
      await write('5000')
      await tap(page.getByLabel("Customer's number"))
      await write('0700000000')
      await tap(page.getByRole('button', { name: 'Ask now' }))
      await page.getByText('Waiting for the PIN').first().waitFor()
      service.pass(3000)
      await service.run('follow-charges')
      await page.getByText('UGX 5,000 from 0700 000 000 has arrived').waitFor()
      t.diagnostic(`${taps} taps, ${Math.round(performance.now() - startedAt)} ms of the machine`)
      assert.ok(taps <= MOST_TAPS, `${taps} taps`)
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
