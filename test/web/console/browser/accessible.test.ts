import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inviteStaff } from '../../../../src/merchants/people/staff/invite-staff.ts'
import { freePort } from '../../../helpers/service/free-port.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { codeOf, secretIn } from '../../../helpers/web/authenticator.ts'
import { MACHINE, OPERATOR_PASSWORD } from '../../../helpers/web/enrolling.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../browser/browser.ts'
import { openedForBrowser } from '../../browser/states/world-of-file.ts'
import { walkWithAxe } from '../../browser/walk-with-axe.ts'
import { consoleStates } from '../states.ts'
import { consoleWorld, pagesOf } from '../world.ts'

const port = await freePort()
// Browsers make passkeys for names, not for bare addresses.
const service = openedAndVerified(async () => {
  const url = `http://localhost:${port}`
  return { ...(await startService({ env: { PORT: String(port), BASE_URL: url } })), url }
})
const world = made(() => consoleWorld(service))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

/** The addresses under the names of the pages. */
const named = (addresses: readonly string[]) => Object.fromEntries(addresses.map((address) => [address, address]))

test('axe finds nothing on any page of the console in both themes, and none scrolls sideways', ON_BROWSER, async () => {
  // A picture in a sandbox is no page: no script of a test runs in it either.
  const pages = pagesOf(world).filter(({ path }) => !path.endsWith('/preview'))
  const addresses = pages.map(({ address }) => address)
  assert.deepEqual(await walkWithAxe(service, world.people.admin, named(addresses)), [])
})

test('nor on these pages in every state of a statement, and of what takes two operators', ON_BROWSER, async () => {
  const states = await consoleStates(service)
  assert.deepEqual(await walkWithAxe(service, world.people.admin, states, true), [])
})

test('nor on the pages for people who are not signed in', ON_BROWSER, async () => {
  const email = `${'a-long-name-of-an-operator.'.repeat(2)}x@gateway.invalid`
  const { link } = await inviteStaff(service.gateway, MACHINE, { email, role: 'risk' })
  const path = link.slice(new URL(link).origin.length)
  assert.deepEqual(await walkWithAxe(service, null, named(['/console/sign-in', path])), [])
})

test(
  'a person opens the link, signs in with the app, adds a passkey, and signs in with that; then without scripts',
  ON_BROWSER,
  async () => {
    const email = 'walks@gateway.invalid'
    const { link } = await inviteStaff(service.gateway, MACHINE, { email, role: 'risk' })
    const { page, context, troubles } = await newVisitor(screen.browser, {
      size: 'phone',
      own: [service.url],
    })
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    await page.goto(link)
    const address = page.getByText('otpauth://')
    const secret = secretIn((await address.textContent()) ?? '')
    await page.getByLabel('Password').fill(OPERATOR_PASSWORD)
    await page.getByLabel('Code').fill(codeOf(service, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.waitForURL(/\/console$/)
    await page.goto(`${service.url}/console/security`)
    await page.getByText('Add a passkey').click()
    await page.getByLabel('Name of the passkey').fill('My phone')
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByText('The second factor is on').waitFor()
    await page.locator('header').getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/console\/sign-in$/)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(OPERATOR_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(/\/console$/)
    assert.deepEqual(troubles(), [])
    await context.close()
    service.pass(31_000)
    const plain = await newVisitor(screen.browser, { own: [service.url], javaScriptEnabled: false })
    await plain.page.goto(`${service.url}/console/operators`)
    await plain.page.getByLabel('E-mail address').fill(email)
    await plain.page.getByLabel('Password').fill(OPERATOR_PASSWORD)
    await plain.page.keyboard.press('Enter')
    await plain.page.getByLabel('Code').fill(codeOf(service, secret))
    await plain.page.keyboard.press('Enter')
    await plain.page.getByRole('heading', { name: 'Operators' }).waitFor()
    await plain.context.close()
  },
)
