import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import type { StaffRole } from '../../../src/api/access/actor.ts'
import type { TestService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn, type PlantedOperator } from '../../helpers/web/console.ts'
import type { Size, Visitor } from '../browser/browser.ts'
import { walkerOf } from '../dashboard/whole/walker.ts'

/** What people of journeys do on pages. */
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
export const goes = (page: Page, link: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name: link }).first().click()

/** An operator in a browser of its own. */
export type AtWork = Visitor & { person: PlantedOperator }
type How = { size?: Size; javaScriptEnabled?: boolean }

/** Signs an operator of this role in. Sessions end after 15 minutes without a request: do it when the clock stands still. */
export async function atWork(
  { browser, service }: { browser: Browser; service: TestService },
  role: StaffRole,
  how: How = {},
): Promise<AtWork> {
  const person = await operatorSignedIn(service, role)
  const walker = await walkerOf(browser, service, { person, size: 'desktop', ...how })
  return { person, ...walker }
}

/** Closes these browsers. Nothing may have gone wrong in any of them. */
export async function goHome(...visitors: readonly Visitor[]): Promise<void> {
  assert.deepEqual(
    visitors.flatMap(({ troubles }) => troubles()),
    [],
  )
  await Promise.all(visitors.map(({ context }) => context.close()))
}
