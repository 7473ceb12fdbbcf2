import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CreatedMerchant } from '../../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { submitApplication } from '../../../../src/merchants/verification/submit-application.ts'
import { followUntilEnded } from '../../../helpers/payments/following-charges.ts'
import { payNew } from '../../../helpers/payments/payouts.ts'
import { paidBy } from '../../../helpers/payments/reconciling.ts'
import { owner } from '../../../helpers/service/actors.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { startOp1Service } from '../../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { answerAll, DIRECTOR } from '../../../helpers/web/verification.ts'
import { launchBrowser, ON_BROWSER, type Size } from '../../browser/browser.ts'
import { openedForBrowser } from '../../browser/states/world-of-file.ts'
import { walkerOf } from '../../dashboard/whole/walker.ts'
import { atWork, goes, goHome, press, sees } from '../at-work.ts'

// What operators do with a merchant, and what it sees of that, in real browsers.
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, service, close: () => browser.close() }
})
const opens = (page: Page, path: string) => page.goto(`${service.url}${path}`)

/** Somebody of a merchant in a browser of its own. */
const atHome = async (merchant: CreatedMerchant, size: Size) =>
  walkerOf(screen.browser, service, { person: await signedInAs(service, merchant), size })

/** A merchant whose application waits for a decision. */
async function applied(): Promise<CreatedMerchant> {
  const made = await service.merchant({ name: 'Nakasero Fresh Foods' })
  const { merchant, app } = await getMerchantNamed(service.gateway, made.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' as const }
  await answerAll(service, owner(place))
  await submitApplication(service.app, owner(place), null)
  return made
}

test(
  'an operator reads the papers of a business and approves it, and its first live charge is paid and seen',
  ON_BROWSER,
  async () => {
    const merchant = await applied()
    const live = service.client(merchant.keys.live)
    const before = await live.charge({ customer: { phone: newPayer() } })
    assert.equal(before.body.code, 'verification_required', before.text)
    const risk = await atWork(screen, 'risk')
    const { page } = risk
    await opens(page, '/console')
    await page.getByRole('link', { name: 'Verification', exact: true }).click()
    await goes(page, 'Nakasero Fresh Foods')
    await page.getByRole('heading', { level: 1, name: 'Verification of Nakasero Fresh Foods' }).waitFor()
    await sees(page, DIRECTOR.id_number)
    const preview = page.getByRole('img', { name: 'Preview of id.png' })
    await preview.waitFor()
    assert.ok(await preview.evaluate((picture: any) => picture.complete && picture.naturalWidth > 0))
    await press(page, 'Approve')
    await sees(page, 'The business is verified.')
    const shop = await atHome(merchant, 'phone')
    await opens(shop.page, '/dashboard/settings/business')
    await sees(shop.page, 'We approved the verification.')
    const { status, body, text } = await live.charge({ amount: 76_500, customer: { phone: newPayer() } })
    assert.equal(status, 201, text)
    await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
    await followUntilEnded(service, body.id)
    await opens(shop.page, `/dashboard/charges/${body.id}`)
    await shop.page.getByRole('heading', { level: 1, name: 'UGX 76,500' }).waitFor()
    await sees(shop.page, 'succeeded')
    await goHome(risk, shop)
  },
)

test(
  'the payouts of one merchant are frozen: it sees since when and why, never who, and two operators end it',
  ON_BROWSER,
  async () => {
    const { shop: own } = await paidBy(service)
    const support = await atWork(screen, 'support', { size: 'phone' })
    const risk = await atWork(screen, 'risk')
    const admin = await atWork(screen, 'admin')
    const shop = await atHome(own.merchant, 'phone')
    await opens(support.page, `/console/merchants/${own.merchant.id}`)
    await support.page.locator('summary', { hasText: 'Freeze payouts' }).click()
    const freeze = support.page.locator('form[action*="/freeze#"]')
    await freeze.getByLabel('Why (for us)').fill('chargebacks of one buyer')
    await freeze.getByLabel('What the merchant is told').fill('We look into three of your payments')
    await freeze.getByRole('button', { name: 'Freeze payouts' }).click()
    await sees(support.page, 'Live payouts are frozen.')
    assert.equal((await payNew(own.live)).status, 400)
    await opens(shop.page, '/dashboard')
    await sees(shop.page, /Live payouts are frozen since \d+ \w+ \d{4}, \d\d:\d\d/)
    await sees(shop.page, 'Why: We look into three of your payments')
    for (const secret of [support.person.email, 'chargebacks of one buyer'])
      assert.ok(!(await shop.page.content()).includes(secret), secret)
    await opens(risk.page, '/console/freeze')
    const row = risk.page.getByRole('row').filter({ hasText: 'chargebacks of one buyer' })
    await row.getByLabel('Reason').fill('the buyer was at fault')
    await row.getByRole('button', { name: 'Ask to let payouts run again' }).click()
    await sees(risk.page, 'You asked for this yourself. A second operator decides on it.')
    assert.equal(await risk.page.getByRole('button', { name: 'Approve, and do it now' }).count(), 0)
    await opens(admin.page, '/console/approvals')
    await goes(admin.page, 'Unfreeze a merchant')
    await press(admin.page, 'Approve, and do it now')
    await sees(admin.page, 'Approved, and done.')
    assert.equal((await payNew(own.live)).status, 201)
    await opens(shop.page, '/dashboard')
    assert.equal(await shop.page.getByText('Live payouts are frozen').count(), 0)
    await goHome(support, risk, admin, shop)
  },
)

test(
  'support looks at the pages of a merchant under a banner, changes nothing, and the merchant sees that',
  ON_BROWSER,
  async () => {
    const merchant = await service.merchant({ name: 'Mama Ŋŋoma Boutique' })
    const support = await atWork(screen, 'support')
    const { page } = support
    await opens(page, `/console/merchants/${merchant.id}`)
    await page.locator('form[action*="/look#"]').getByLabel('Why (for us)').fill('the owner asked for help')
    await press(page, 'Look at its pages')
    await sees(page, /You are looking at the pages of/)
    await page.getByRole('link', { name: 'Charges', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Charges' }).waitFor()
    await sees(page, /You are looking at the pages of/)
    assert.equal(await page.locator('form[method="post"]').count(), 0)
    const shop = await atHome(merchant, 'phone')
    await opens(shop.page, '/dashboard')
    await sees(shop.page, 'Somebody of our support looked at your pages.')
    for (const secret of [support.person.email, 'the owner asked for help'])
      assert.ok(!(await shop.page.content()).includes(secret), secret)
    await goHome(support, shop)
  },
)
