import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { FormSpec } from '../../../src/web/parts/forms/form-spec.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { anotherBrowser } from '../../helpers/web/dashboard.ts'
import { pagesOf as consolePages, consoleWorld } from '../console/world.ts'
import { pagesOf } from '../dashboard/whole/places.ts'
import type { Sender } from '../dashboard/whole/send-form.ts'
import { wholeShop } from '../dashboard/whole/shop.ts'
import { walkerOf } from '../dashboard/whole/walker.ts'
import { launchBrowser, ON_BROWSER } from './browser.ts'
import { openedForBrowser } from './states/world-of-file.ts'

const receiver = opened(() => startReceiver())
const service = opened(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
const world = made(() => consoleWorld(service))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

// A phone that many people have, as it is held.
const SCREEN = { width: 390, height: 844 }
const HOUR = 3_600_000
// They have nothing that could be wrong, or end the session.
const LEFT_OUT = /\/(?:sign-out|end|end-others|device\/add)$/

type Action = FormSpec['path']
type Seen = { address: string; action: Action }

/** The forms of a page that are refused when they are sent empty: something must be filled in, or the factor given. */
const refusable = (page: Page): Promise<string[]> =>
  page
    .locator('form[method=post]')
    .evaluateAll((forms: any[]) =>
      forms
        .filter((form) =>
          [...form.elements].some(
            (one: any) =>
              one.name === 'confirm' ||
              (['text', 'tel', 'email', 'url', 'date', 'file', 'textarea', 'password'].includes(one.type) &&
                !one.labels?.[0]?.querySelector('.optional')),
          ),
        )
        .map((form) => form.getAttribute('action')),
    )

/** Sends a form of the page empty, as a person does who sees it. */
async function sendEmpty(page: Page, action: string): Promise<void> {
  const form = page.locator(`form[action="${action}"]`).first()
  await form.evaluate((one: any) => {
    for (let box = one.closest('details'); box; box = box.parentElement?.closest('details')) box.open = true
    for (const field of one.elements)
      if (['text', 'tel', 'email', 'url', 'date', 'textarea', 'password', 'time', 'month'].includes(field.type))
        field.value = ''
    one.noValidate = true
  })
  await Promise.all([page.waitForNavigation(), form.locator('button[type=submit]').first().click()])
}

/** What a person sees of the refusal without scrolling; null when it is all there. */
async function unseen(page: Page): Promise<string | null> {
  const fault = page.locator('.fault').first()
  if ((await fault.count()) === 0) return `shows no fault: ${page.url()}`
  const box = await fault.boundingBox()
  if (box === null) return 'its fault is folded away'
  const { y } = box
  return y >= 0 && y + Math.min(box.height, 80) <= SCREEN.height ? null : `its fault stands at ${Math.round(y)}`
}

async function walk(person: Sender, addresses: readonly string[]): Promise<{ wrong: string[]; sent: number }> {
  const { page } = await walkerOf(screen.browser, service, { person, size: 'phone' })
  await page.setViewportSize(SCREEN)
  const wrong: string[] = []
  const known = new Set<string>()
  const forms: Seen[] = []
  for (const address of addresses) {
    const answer = await page.goto(`${service.url}${address}`).catch(() => null)
    if (answer?.status() !== 200) continue
    for (const action of await refusable(page)) {
      const kind = action.replace(/[a-z]+_[a-z0-9]{12,}/g, ':id').replace(/\/[0-9][^/#]*/g, '/:id')
      if (known.has(kind) || LEFT_OUT.test(action.split('#')[0] ?? '')) continue
      known.add(kind)
      forms.push({ address, action })
    }
  }
  for (const { address, action } of forms) {
    await page.goto(`${service.url}${address}`)
    await sendEmpty(page, action)
    const fault = await unseen(page)
    if (fault !== null) wrong.push(`${action} on ${address}: ${fault}`)
  }
  return { wrong, sent: forms.length }
}

test(
  'every refused form of the dashboard shows on the first screen of a phone that and why it was refused',
  ON_BROWSER,
  async () => {
    const { owner } = shop.people
    const stale = await anotherBrowser(service, owner, HOUR)
    const { wrong, sent } = await walk(
      stale,
      pagesOf(shop).map(({ address }) => address),
    )
    assert.ok(sent > 40, `${sent} forms were sent`)
    assert.deepEqual(wrong, [])
  },
)

test('and every refused form of the console', ON_BROWSER, async () => {
  const stale = await operatorSignedIn(service, 'admin', { steppedUpMs: HOUR })
  const addresses = consolePages(world).map(({ address }) => address)
  const { wrong, sent } = await walk(stale, addresses)
  assert.ok(sent > 20, `${sent} forms were sent`)
  assert.deepEqual(wrong, [])
})
