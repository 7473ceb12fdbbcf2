import assert from 'node:assert/strict'
import test from 'node:test'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { ON_BROWSER } from './browser.ts'
import { SHOP_NAME } from './states/world.ts'
import { worldOfFile } from './states/world-of-file.ts'
import { sendForm } from './steps.ts'

const world = worldOfFile()

for (const javaScriptEnabled of [true, false])
  test(`somebody finds an item and pays for it, with${javaScriptEnabled ? '' : 'out'} scripts`, ON_BROWSER, () =>
    world.visit(
      async (page) => {
        await page.goto(world.storefront)
        const items = page.getByRole('list').locator('a')
        assert.equal(await items.count(), 6)
        for (const picture of await page.locator('img').all()) {
          await picture.scrollIntoViewIfNeeded()
          await picture.evaluate((one: any) => one.decode())
        }
        await page.getByRole('link', { name: EN.storefront.more, exact: true }).click()
        await page.getByRole('link', { name: EN.storefront.first }).waitFor()
        assert.equal(await items.count(), 1)
        await page.getByRole('link', { name: EN.storefront.first }).click()
        await page.getByRole('link', { name: /Kitenge dress/ }).click()
        await page.getByRole('heading', { level: 1, name: EN.pay.title(SHOP_NAME) }).waitFor()
        const payer = newPayer()
        const url = page.url()
        await sendForm(page, payer)
        await page.getByRole('heading', { level: 1, name: EN.waiting.title }).waitFor()
        const link = { id: new URL(url).pathname.slice('/pay/'.length), url }
        await world.settle(link, 'pays')
        await page.reload()
        await page.getByRole('heading', { level: 1, name: EN.receipt.fresh }).waitFor()
        // The link stays usable for the next customer.
        await page.goto(url)
        await page.getByRole('heading', { level: 1, name: EN.pay.title(SHOP_NAME) }).waitFor()
        const paid = (await world.charges(link)).filter(({ phone }) => phone?.endsWith(payer.slice(-9)))
        assert.deepEqual(
          paid.map(({ status }) => status),
          ['succeeded'],
        )
      },
      { javaScriptEnabled },
    ),
  )

test('somebody pays an amount of their own; too little is asked for again and makes nothing', ON_BROWSER, () =>
  world.visit(async (page) => {
    const links = async () => (await world.service.rows('select from payment_links')).length
    const before = await links()
    await page.goto(world.storefront)
    const amount = page.getByRole('textbox', { name: EN.storefront.amount })
    await amount.fill('499')
    await page.getByRole('button', { name: EN.storefront.goOn }).click()
    await page.getByText(EN.faults.amount).waitFor()
    assert.equal(await amount.inputValue(), '499')
    assert.equal(await links(), before)
    await amount.fill('7,500')
    await page.getByRole('button', { name: EN.storefront.goOn }).click()
    await page.getByRole('button', { name: EN.pay.button('UGX 7,500') }).waitFor()
    assert.equal(await links(), before + 1)
  }),
)
