import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'
import { axeFinds, cutOff } from './accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size, type Visitor } from './browser.ts'

const NARROW = { width: 320, height: 600 }
const PASSWORD = 'four words of mine'
const port = await freePort()
// Browsers make passkeys for names, not for bare addresses.
const service = opened(async () => {
  const started = await startService({ env: { PORT: String(port), BASE_URL: `http://localhost:${port}` } })
  return { ...started, url: `http://localhost:${port}` }
})
let browser: Browser
before(async () => {
  if (!ON_BROWSER.skip) browser = await launchBrowser()
})
after(() => browser?.close())

/** An owner with colleagues of long names, an open invitation and a till, in a visitor's browser. */
async function ownerOn(size: Size) {
  const shop = await service.merchant({ name: 'Nakawuka General Merchandise and Sons' })
  const owner = await signedInAs(service, shop)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const) {
    const { personId } = await signedInAs(service, shop, { role })
    await service.rows('update people set name = $2 where id = $1', [personId, `Namutebi Nabukeera Nalubega ${role}`])
  }
  const hash = await hashPassword(PASSWORD)
  await service.rows('update people set password = $2 where id = $1', [owner.personId, hash])
  const page = await owner.get('/dashboard/settings/people')
  const invited = `somebody-with-a-long-name-${owner.personId}@people.invalid`
  await owner.send(page, '/invite', { email: invited, role: 'viewer' })
  const visitor = await newVisitor(browser, { size, own: [service.url] })
  const token = owner.cookies().find(({ name }) => name === 'dashboard')?.value ?? ''
  const keep = (value: string) => visitor.context.addCookies([{ name: 'dashboard', value, url: service.url }])
  await keep(token)
  return { shop, owner, invited, ...visitor, keep }
}

/** The pages of links by which somebody proves an address, two businesses claim it, and of one that stops its change. */
async function provingLinks(owner: Planted, email: string): Promise<[string, RegExp][]> {
  for (const business of ['Nakawuka General Merchandise and Daughters', 'Namirembe & Ssebuliba Bannakatwe']) {
    const form = { business, email, password: `${PASSWORD} for ${business}` }
    assert.equal((await browserOf(service).post('/dashboard/sign-up', form)).status, 303)
  }
  await browserOf(service).post('/dashboard/forgot', { email })
  await owner.send(await owner.get('/dashboard/settings/security'), '/email', { email: `next-${email}` })
  const links = [...(await linksIn(service, email)), ...(await linksIn(service, owner.email))]
  const linkTo = (path: string) => links.find((link) => link.startsWith(`/dashboard/${path}?`)) ?? ''
  return [
    [linkTo('confirm'), /Confirm your e-mail address/],
    [linkTo('reset'), /Choose a new password/],
    [linkTo('email-stop'), /Stop the change of your e-mail address/],
  ]
}

async function assertGood({ page, troubles }: Pick<Visitor, 'page' | 'troubles'>, name: string): Promise<void> {
  const size = page.viewportSize()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  assert.deepEqual(await axeFinds(page), [], `${name}, in the light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await axeFinds(page, ['color-contrast']), [], `${name}, in the dark`)
  await page.setViewportSize(NARROW)
  const wide = (await cutOff(page)).filter((one) => one.startsWith('scrolls sideways'))
  assert.deepEqual(wide, [], `${name}, in a window of 320 pixels`)
  if (size) await page.setViewportSize(size)
  assert.deepEqual(troubles(), [], name)
}

const heading = (page: Page) => page.locator('h1').first().textContent()

for (const size of ['phone', 'desktop'] as const)
  test(
    `the pages of people, account and links, on a ${size}: axe finds nothing and nothing scrolls sideways`,
    ON_BROWSER,
    async () => {
      const { shop, owner, invited, context, page, troubles } = await ownerOn(size)
      const see = async (path: string, title: RegExp) => {
        await page.goto(`${service.url}${path}`)
        assert.match((await heading(page)) ?? '', title, path)
        await assertGood({ page, troubles }, path)
      }
      await see('/dashboard/settings', /Settings/)
      await see('/dashboard/settings/people', /People and roles/)
      await page.getByLabel('Name of the till').fill('Front')
      await page.getByRole('button', { name: 'Show the code' }).click()
      assert.match((await heading(page)) ?? '', /Scan this with the device/)
      await assertGood({ page, troubles }, 'the code of a till')
      const till = await page.locator('pre').first().textContent()
      await see('/dashboard/settings/security', /Your account/)
      await page.getByRole('button', { name: 'Add an authenticator app' }).click()
      assert.match((await heading(page)) ?? '', /Add an authenticator app/)
      await assertGood({ page, troubles }, 'an app that is being added')
      await context.clearCookies()
      await see('/dashboard/sign-in', /Sign in/)
      await see('/dashboard/sign-up', /Open an account/)
      await see('/dashboard/forgot', /Choose a new password/)
      await see('/dashboard/forgot?sent=yes', /Look into your mail/)
      const [join = ''] = await linksIn(service, invited)
      await see(join, /Join Nakawuka/)
      await see(join.replace(/link=.*/, 'link=gone'), /does not work any more/).catch((error: Error) => {
        // The browser notes on its console that the answer was 410.
        if (!/410/.test(error.message)) throw error
      })
      for (const [link, title] of await provingLinks(owner, `claimed-${size}@shop.invalid`)) await see(link, title)
      await page.goto(till?.trim() ?? '')
      await assertGood({ page, troubles: () => [] }, 'the start of a shift')
      await page.getByRole('button', { name: 'Start the shift' }).click()
      await context.clearCookies()
      await page.goto(`${service.url}/dashboard/sign-up`)
      await page.getByLabel('Name of the business').fill('Shop')
      await page.getByLabel('E-mail address').fill(`new-${size}@shop.invalid`)
      await page.getByLabel('Password').fill('password1234')
      await page.getByRole('button', { name: 'Open the account' }).click()
      assert.match((await page.locator('.wrong').textContent()) ?? '', /one of the commonest/)
      await assertGood({ page, troubles: () => [] }, 'a sign-up that was refused')
      assert.ok(shop.id && owner.email)
      await context.close()
    },
  )

test('a passkey is added, confirms one act, and is the second factor at sign-in', ON_BROWSER, async () => {
  const { owner, context, page } = await ownerOn('desktop')
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await page.goto(`${service.url}/dashboard/settings/security`)
  await page.getByText('Add a passkey').click()
  await page.getByLabel('Name of the passkey').fill('My laptop')
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  service.pass(6 * 60_000)
  await page.goto(`${service.url}/dashboard/settings/security`)
  const rename = page.locator('form', { has: page.getByRole('button', { name: 'Make new recovery codes' }) })
  await rename.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await page.goto(`${service.url}/dashboard/settings/security`)
  assert.equal(await rename.getByRole('button', { name: 'Confirm with a passkey' }).count(), 1, 'for that act alone')
  await context.clearCookies()
  await page.goto(`${service.url}/dashboard/sign-in`)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(/\/dashboard\/test$/)
  await context.close()
})
