import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { newPayer, type Shop } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { workbook } from '../../../helpers/web/workbooks.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../../browser/browser.ts'

const service = openedAndVerified(() => startPayingService())

type Journey = (pages: { owner: Page; accountant: Page }, shop: Shop) => Promise<void>

/** Runs a journey of an owner and an accountant of one shop, in two browsers of this size. */
async function walk(size: Size, journey: Journey): Promise<void> {
  const shop = await richShop(service, 200_000)
  const browser = await launchBrowser()
  try {
    const visitors = await Promise.all(
      (['owner', 'accountant'] as const).map(async (role) => {
        const [cookie] = (await signedInAs(service, shop.merchant, { role })).cookies()
        assert.ok(cookie)
        const visitor = await newVisitor(browser, { size, own: [service.url], acceptDownloads: true })
        await visitor.context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
        return visitor
      }),
    )
    const [owner, accountant] = visitors
    assert.ok(owner && accountant)
    await journey({ owner: owner.page, accountant: accountant.page }, shop)
    for (const { troubles } of visitors) assert.deepEqual(troubles(), [])
  } finally {
    await browser.close()
  }
}

const textOf = (page: Page) => page.locator('main').innerText()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

test('on a phone: an accountant prepares a payout, and an owner approves it with the keyboard alone', ON_BROWSER, () =>
  walk('phone', async ({ owner, accountant }, { live }) => {
    const phone = newPayer()
    service.operator.holds(phone, { active: true, name: 'NAKATO SARAH' })
    await accountant.goto(`${service.url}/dashboard/payouts/new`)
    await accountant.getByLabel('Phone of the recipient').fill(phone)
    await accountant.getByLabel('Amount', { exact: true }).fill('12,500')
    await press(accountant, 'Check the recipient')
    assert.match(await textOf(accountant), /NAKATO SARAH/)
    await press(accountant, 'Prepare for approval')
    assert.match(await textOf(accountant), /You prepared this/)
    await owner.goto(`${service.url}/dashboard/payouts/prepared`)
    await owner.locator('main tbody').getByRole('link').focus()
    await owner.keyboard.press('Enter')
    await owner.getByRole('button', { name: 'Approve and send' }).focus()
    await owner.keyboard.press('Enter')
    await owner.waitForURL(/\/payouts\/pout_/)
    assert.match(await textOf(owner), /Approved\. The money is on its way/)
    assert.equal(await availableOf(live), 200_000 - 12_700)
  }),
)

test('on a desktop: a file with a bad line is looked at with names, sent, mended and sent again', ON_BROWSER, () =>
  walk('desktop', async ({ owner }, { live }) => {
    const [good, bad] = [newPayer(), newPayer()]
    service.operator.holds(good, { active: true, name: 'OPIO JAMES' })
    const upload = async (text: string) => {
      await owner.goto(`${service.url}/dashboard/bulk`)
      const buffer = Buffer.from(text)
      await owner.getByLabel('Excel or CSV file').setInputFiles({ name: 'wages.csv', mimeType: 'text/csv', buffer })
      await press(owner, 'Show what it would do')
    }
    await upload(`phone,amount,reference,name\n${good},5000,w-1,James\n${bad},6o00,w-2,Grace\n`)
    await owner.getByText('Wallet of OPIO JAMES').waitFor()
    assert.match(await textOf(owner), /6o00 is no amount/)
    await press(owner, 'Send these payouts')
    const [download] = await Promise.all([
      owner.waitForEvent('download'),
      owner.getByRole('link', { name: 'Download the lines to mend' }).click(),
    ])
    const mend = await readFile(await download.path(), 'utf8')
    await upload(mend.replace('6o00', '6000'))
    await press(owner, 'Send these payouts')
    await owner.waitForURL(/\/bulk\/batch_/)
    assert.equal(await availableOf(live), 200_000 - 5200 - 6200)
    await upload(mend.replace('6o00', '6000'))
    assert.match(await textOf(owner), /paid before on/)
  }),
)

test(
  'on a phone: a workbook with words of its own is named once, sent, and the next one goes straight through',
  ON_BROWSER,
  () =>
    walk('phone', async ({ owner }, { live }) => {
      const [first, second] = [newPayer(), newPayer()]
      const upload = async (name: string, amount: number) => {
        const buffer = workbook({
          July: [
            ['Casual workers of July'],
            ['Omukozi', 'Ku ssimu', 'Ennaku', 'Asasulwa'],
            ['Nakirunda Birabwa Namutebi-Ssemakula', Number(first), 12, amount],
            ['Okot James', second, 10, { xml: `<c><f>D3-1000</f><v>${amount - 1000}</v></c>` }],
          ],
        })
        await owner.goto(`${service.url}/dashboard/bulk`)
        const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
        await owner.getByLabel('Excel or CSV file').setInputFiles({ name, mimeType, buffer })
        await press(owner, 'Show what it would do')
      }
      await upload('july.xlsx', 9000)
      await owner.getByRole('heading', { name: 'What is in these columns?' }).waitFor()
      assert.equal(await owner.getByLabel('Column B: Ku ssimu').inputValue(), 'phone')
      await owner.getByLabel('Column C: Ennaku').selectOption('Not needed')
      await owner.getByLabel('Column D: Asasulwa').selectOption('Amount')
      await press(owner, 'Show what it would do')
      assert.match(await textOf(owner), /Would be paid\s+2\s+Amount\s+UGX 17,000/)
      await press(owner, 'Send these payouts')
      await owner.waitForURL(/\/bulk\/batch_/)
      assert.equal(await availableOf(live), 200_000 - 17_000 - 400)
      await upload('august.xlsx', 6000)
      await owner.getByText('Before it is sent').waitFor()
      assert.match(await textOf(owner), /Would be paid\s+2\s+Amount\s+UGX 11,000/)
      assert.equal(await owner.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
    }),
)
