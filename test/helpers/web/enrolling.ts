import assert from 'node:assert/strict'
import type { StaffRole } from '../../../src/api/access/actor.ts'
import { inviteStaff } from '../../../src/merchants/people/staff/invite-staff.ts'
import type { TestService } from '../service/test-service.ts'
import { codeOf, secretIn } from './authenticator.ts'
import { type Browser, browserOf, type Page } from './browser.ts'
import { mainOf } from './dashboard.ts'

export const OPERATOR_PASSWORD = 'four words of an operator'
/** Whoever runs commands, on the service's own clock. */
export const MACHINE = {
  kind: 'command',
  name: 'command line: test',
  origin: 'test',
  requestId: null,
} as const

export type Enrolled = { email: string; secret: string; browser: Browser; reply: Page; codes: string[] }

/** Opens the link of an operator as a person does: reads the secret, gives a password and the first code. */
export async function openLink(
  service: TestService,
  link: string,
  more: Record<string, string> = {},
): Promise<Omit<Enrolled, 'email'>> {
  const browser = browserOf(service)
  const path = link.slice(new URL(link).origin.length)
  const page = await browser.get(path)
  assert.equal(page.status, 200, mainOf(page))
  const secret = secretIn(page.text)
  const fields = { password: OPERATOR_PASSWORD, code: codeOf(service, secret), ...more }
  const reply = await browser.send(page, path.split('?')[0] ?? '', fields)
  return { secret, browser, reply, codes: mainOf(reply).match(/\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b/g) ?? [] }
}

let people = 0

/** An operator with a password and an authenticator, in a browser that is signed in. */
export async function enrolled(service: TestService, role: StaffRole = 'admin'): Promise<Enrolled> {
  people += 1
  const email = `operator${people}@gateway.invalid`
  const { link } = await inviteStaff(service.gateway, MACHINE, { email, role })
  return { email, ...(await openLink(service, link)) }
}
