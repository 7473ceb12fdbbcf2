import type { StaffCaller } from '../../api/access/actor.ts'
import { findSession, makeStaffCaller, type SignedInSession } from '../../merchants/people/session.ts'
import { assert } from '../../platform/assert.ts'
import { newStepUp } from '../parts/forms/step-up.ts'
import type { GuestRoute, PageRequest } from '../parts/routes/route.ts'
import type { Surface } from '../parts/routes/surface.ts'
import type { SignInConfig } from '../parts/sign-in/sign-in-config.ts'
import { signInPages } from '../parts/sign-in/sign-in-pages.tsx'
import { CONSOLE_BASE, consoleAddress } from './addresses.ts'
import { CONSOLE_LINK_ROUTES } from './people/link-pages.tsx'
import { CONSOLE_ROUTES } from './routes-list.ts'
import { CONSOLE_COOKIES } from './session-cookies.ts'
import { ConsoleShell } from './shell.tsx'
import { STAFF_ACCOUNT_TEXTS } from './texts/staff-account.ts'
import type { ConsoleVisit } from './visit.ts'
import { readWorkOverview } from './work-overview.ts'

/** The sign-in of the console. It has no sign-up and no way to reset a forgotten password: admins invite and reset staff. */
const CONSOLE_DOOR: SignInConfig = {
  ...{ realm: 'operator', base: CONSOLE_BASE, title: STAFF_ACCOUNT_TEXTS.signIn, cookies: CONSOLE_COOKIES },
  home: async () => CONSOLE_BASE,
  actorOf: buildStaffCaller,
}

/** The console's pages for people who are not signed in. */
export const CONSOLE_GUEST_ROUTES: readonly GuestRoute[] = [...signInPages(CONSOLE_DOOR), ...CONSOLE_LINK_ROUTES]

/** The console, the pages for our own staff. */
export const CONSOLE: Surface<ConsoleVisit> = {
  base: CONSOLE_BASE,
  prefixes: [''],
  signIn: `${CONSOLE_BASE}/sign-in`,
  routes: CONSOLE_ROUTES,
  guests: CONSOLE_GUEST_ROUTES,
  sessionCookie: CONSOLE_COOKIES.name,
  findSession: (gateway, cookie, how) => findSession(gateway, 'operator', cookie, how),
  open: openVisit,
  stepUp: newStepUp(CONSOLE_COOKIES),
  frame: (page, { asked, visit }) => ConsoleShell({ page, asked, visit }),
}

async function openVisit(asked: PageRequest, signedIn: SignedInSession) {
  const caller = buildStaffCaller(asked, signedIn)
  const waiting = await readWorkOverview(asked.gateway, caller.personId)
  return { visit: { ...asked, signedIn, caller, waiting, to: consoleAddress, once: null } }
}

/** Makes the caller that operations take for a signed-in person of our staff. */
function buildStaffCaller({ address: origin, requestId, now }: PageRequest, signedIn: SignedInSession): StaffCaller {
  const { operatorRole: role } = signedIn
  assert(role !== null, 'an operator has a role')
  return makeStaffCaller(signedIn, { role, origin, requestId, nowMs: now.getTime() })
}
