import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUESTS } from '../../src/console/guests.ts'
import { inviteOperator } from '../../src/people/operators/invite-operators.ts'
import { unfold, walkerOf } from '../dashboard/whole/walker.ts'
import { MACHINE } from '../helpers/enrolling.ts'
import { made, openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'
import { axeFinds, cutOff } from '../pages/accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../pages/browser.ts'
import { openedForBrowser } from '../pages/world-of-file.ts'
import { consoleWorld, pagesOf } from './world.ts'

const NARROW = { width: 320, height: 600 }
const service = openedAndVerified(() => startService())
const world = made(() => consoleWorld(service))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

const scrolls = async (page: Parameters<typeof cutOff>[0]) =>
  (await cutOff(page)).filter((one) => one.startsWith('scrolls'))

/** The pages for people who are not signed in, a link that works among them. */
async function guests(): Promise<string[]> {
  const email = `${'a-long-name-of-an-operator.'.repeat(2)}x@gateway.invalid`
  const { link } = await inviteOperator(service.gateway, MACHINE, { email, role: 'risk' })
  const paths = GUESTS.filter(({ method }) => method === 'GET').map(({ path }) => `/console${path}`)
  return [...paths, link.slice(new URL(link).origin.length)]
}

for (const { size, colorScheme } of [
  { size: 'phone', colorScheme: 'light' },
  { size: 'desktop', colorScheme: 'dark' },
] as const)
  test(`every page of the console on a ${size}, ${colorScheme}: axe finds nothing, and nothing scrolls sideways`, {
    ...ON_BROWSER,
    timeout: 300_000,
  }, async () => {
    const how = { size, colorScheme }
    const signedIn = await walkerOf(screen.browser, service, { person: world.people.admin, ...how })
    const stranger = await newVisitor(screen.browser, { own: [service.url], ...how })
    const found: string[] = []
    for (const [{ page }, addresses] of [
      [stranger, await guests()],
      [signedIn, pagesOf(world).map(({ address }) => address)],
    ] as const)
      for (const address of addresses) {
        await page.goto(`${service.url}${address}`)
        await unfold(page)
        const wrong = [...(await axeFinds(page)), ...(await scrolls(page))]
        if (size === 'phone') {
          await page.setViewportSize(NARROW)
          wrong.push(...(await scrolls(page)).map((one) => `in a window of 320 pixels: ${one}`))
          await page.setViewportSize({ width: 390, height: 844 })
        }
        found.push(...wrong.map((one) => `${address}: ${one}`))
      }
    // A link that does not work is 410, which the browser notes.
    const troubles = [...signedIn.troubles(), ...stranger.troubles()].filter((one) => !one.includes('410'))
    assert.deepEqual([...found, ...troubles], [])
    await Promise.all([signedIn.context.close(), stranger.context.close()])
  })
