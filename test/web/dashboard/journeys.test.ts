import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { kampalaMonth } from '../../../src/platform/time/kampala.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, testFor } from '../../helpers/service/parts.ts'
import { CHARGE } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../browser/browser.ts'
import { focused, pressOn, tabTo, typeInto } from '../browser/keys.ts'
import { openedForBrowser } from '../browser/states/world-of-file.ts'
import { walkerOf } from './whole/walker.ts'

const reader = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
const PASSWORD = 'four words of mine'
const service = openedAndVerified(() => startPayingService())
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const newcomer = (size: Size, more: { javaScriptEnabled?: boolean } = {}) =>
  newVisitor(screen.browser, { size, own: [service.url], acceptDownloads: true, ...more })

/** The sandbox decides what is under way. */
async function decided(): Promise<void> {
  service.pass(3000)
  await service.run('follow-charges')
}

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto(`${service.url}/dashboard/sign-up`)
  await page.getByLabel('Name of the business').fill('Mama Ŋŋoma Boutique')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Open the account')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

async function download(page: Page, link: string): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).click()])
  return readFile(await file.path())
}

const monthNow = () => kampalaMonth(service.clock.now())

for (const size of ['phone', 'desktop'] as const)
  testFor(size === 'phone')(
    `on a ${size}: from the sign-up to a first charge that is seen without a reload, its refund and the statement`,
    ON_BROWSER,
    async () => {
      const { page, context, troubles } = await newcomer(size)
      await signUp(page, `owner-${size}@shop.invalid`)
      assert.equal(new URL(page.url()).pathname, '/dashboard/test')
      const command = (await page.locator('.copy code').first().textContent()) ?? ''
      assert.match(command, /^curl .*\/v1\/charges/)
      const { stdout } = await promisify(execFile)('sh', ['-c', command])
      const charge = JSON.parse(stdout)
      assert.equal(charge.amount, 5000, stdout)
      await sees(page, 'waiting for the PIN')
      await decided()
      await page.locator('tr').filter({ hasText: 'UGX 5,000' }).getByText('paid', { exact: true }).waitFor()
      await page.getByLabel('Amount').fill('20,000')
      await press(page, 'Add test money')
      await sees(page, 'UGX 20,000 of test money was added.')
      await page.locator('tr').filter({ hasText: 'UGX 5,000' }).getByRole('link').click()
      await sees(page, charge.id)
      await page.locator('summary', { hasText: 'Refund' }).click()
      await press(page, 'Refund the charge')
      await sees(page, 'The charge is refunded')
      await page.goto(`${service.url}/dashboard/test/wallet/statements`)
      const statement = await download(page, `PDF ${monthNow()}`)
      assert.equal(statement.subarray(0, 5).toString(), '%PDF-')
      const json = JSON.parse((await download(page, `JSON ${monthNow()}`)).toString())
      assert.equal(json.mode, 'test')
      assert.deepEqual(troubles(), [])
      await context.close()
    },
  )

/** The text of the picture that the page shows, as the camera of a phone reads it. */
async function scanned(page: Page): Promise<string> {
  prepareZXingModule({ overrides: { wasmBinary: reader.buffer as ArrayBuffer } })
  const picture = await page.locator('svg.qr').screenshot()
  const [code] = await readBarcodes(new Uint8Array(picture), { formats: ['QRCode'] })
  assert.ok(code, 'the picture can be read')
  return code.text
}

longTest(
  'a cashier scans the code of a till, watches the counter, and is signed out by the owner',
  ON_BROWSER,
  async () => {
    const shop = await service.shop()
    const owner = await walkerOf(screen.browser, service, {
      person: await signedInAs(service, shop.merchant),
      size: 'desktop',
    })
    const till = await newcomer('phone')
    await owner.page.goto(`${service.url}/dashboard/settings/people`)
    await owner.page.getByLabel('Name of the till').fill('Front')
    await press(owner.page, 'Show the code')
    await till.page.goto(await scanned(owner.page))
    await sees(till.page, 'This device becomes the till Front')
    await press(till.page, 'Start the shift on this device')
    await sees(till.page, 'No payments yet')
    const { body } = await shop.live.charge({ ...CHARGE, amount: 54_321, customer: { phone: newPayer() } })
    await sees(till.page, 'UGX 54,321')
    await succeed(service, body.id)
    await till.page
      .locator('li, tr, article, div')
      .filter({ hasText: 'UGX 54,321' })
      .getByText('paid', { exact: true })
      .first()
      .waitFor()
    await owner.page.goto(`${service.url}/dashboard/settings/people`)
    await owner.page.locator('tr', { hasText: 'Front' }).getByRole('button', { name: 'Sign out' }).last().click()
    await sees(owner.page, 'This device is signed out.')
    await till.page.reload()
    await till.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual([...owner.troubles(), ...till.troubles()], [])
    await Promise.all([owner, till].map(({ context }) => context.close()))
  },
)

longTest('with the keyboard alone: sign up, collect a payment, make a link, sign out', ON_BROWSER, async () => {
  const { page, context, troubles } = await newcomer('desktop')
  await page.goto(`${service.url}/dashboard/sign-up`)
  for (const [field, text] of [
    ['guest-business', 'Keys Only'],
    ['guest-email', 'keys@shop.invalid'],
    ['guest-password', PASSWORD],
  ] as const)
    await typeInto(page, field, text)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.keyboard.press('Tab')
  assert.equal((await focused(page)).is, 'Skip to the page')
  await pressOn(page, 'Charges', 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Charges' }).waitFor()
  await pressOn(page, 'Ask for a payment', 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Ask for a payment' }).waitFor()
  await typeInto(page, 'ask-amount', '7,500')
  await typeInto(page, 'ask-phone', '0700000000')
  await page.keyboard.press('Enter')
  await sees(page, 'Waiting for the PIN')
  await decided()
  await sees(page, 'UGX 7,500 from 0700 000 000 has arrived.')
  await tabTo(page, 'Payment links')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Payment links' }).waitFor()
  await pressOn(page, 'New payment link', 'Enter')
  await page.getByRole('heading', { level: 1, name: 'New payment link' }).waitFor()
  await typeInto(page, 'links-new-amount', '12,000')
  await pressOn(page, 'Make the link', 'Space')
  await sees(page, 'UGX 12,000')
  await pressOn(page, 'Your account', 'Enter')
  await pressOn(page, 'Sign out', 'Enter')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(troubles(), [])
  await context.close()
})

longTest(
  'without scripts: sign up, collect and refund, read the news by itself, end a session, sign in again',
  ON_BROWSER,
  async () => {
    const email = 'plain@shop.invalid'
    const [first, second] = [
      await newcomer('phone', { javaScriptEnabled: false }),
      await newcomer('desktop', { javaScriptEnabled: false }),
    ]
    const { page } = first
    await signUp(page, email)
    await page.getByLabel('Amount').fill('20,000')
    await press(page, 'Add test money')
    await sees(page, 'UGX 20,000 of test money was added.')
    await page.goto(`${service.url}/dashboard/test/charges`)
    await page.getByRole('link', { name: 'Ask for a payment' }).click()
    await page.getByLabel('Amount').fill('9,000')
    await page.getByLabel("Customer's number").fill('0700000000')
    await press(page, 'Ask now')
    await sees(page, 'Waiting for the PIN')
    await decided()
    // A browser without scripts loads the page again by itself.
    await page.getByText('UGX 9,000 from 0700 000 000 has arrived.').waitFor()
    await page.getByRole('link', { name: 'Open the payment' }).click()
    await page.locator('summary', { hasText: 'Refund' }).click()
    await press(page, 'Refund the charge')
    await sees(page, 'The charge is refunded')
    await second.page.goto(`${service.url}/dashboard/sign-in`)
    await second.page.getByLabel('E-mail address').fill(email)
    await second.page.getByLabel('Password').fill(PASSWORD)
    await press(second.page, 'Sign in')
    await second.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.goto(`${service.url}/dashboard/settings/security`)
    await press(page, 'Sign out everywhere else')
    await sees(page, 'You are signed out everywhere else.')
    await second.page.reload()
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual([...first.troubles(), ...second.troubles()], [])
    await Promise.all([first, second].map(({ context }) => context.close()))
  },
)
