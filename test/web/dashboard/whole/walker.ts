import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import type { TestService } from '../../../helpers/service/test-service.ts'
import { type Coming, newVisitor, type Visitor } from '../../browser/browser.ts'
import type { Sender } from './send-form.ts'

/** A visitor whose browser is signed in as this person. */
export async function walkerOf(
  browser: Browser,
  { url }: Pick<TestService, 'url'>,
  { person, ...how }: Omit<Coming, 'own'> & { person: Sender },
): Promise<Visitor> {
  const visitor = await newVisitor(browser, { own: [url], ...how })
  const cookie = person.cookies().find(({ name }) => name === 'dashboard' || name === 'console')
  assert.ok(cookie, 'the person is signed in')
  await visitor.context.addCookies([{ name: cookie.name, value: cookie.value, url }])
  return visitor
}

/** Opens what is folded away: it counts too. `within`: of these places only. */
export const unfold = (page: Page, within = 'details'): Promise<void> =>
  page.locator(within).evaluateAll((all: any[]) => {
    for (const one of all) one.open = true
  })
