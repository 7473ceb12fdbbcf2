import { findSession, type SignedInSession } from '../../merchants/people/session.ts'
import { newStepUp } from '../parts/forms/step-up.ts'
import type { PageRequest } from '../parts/routes/route.ts'
import type { Surface } from '../parts/routes/surface.ts'
import { CONSOLE_BASE, consoleAddress } from './addresses.ts'
import { CONSOLE_GUEST_ROUTES } from './guest-routes.ts'
import { CONSOLE_ROUTES } from './routes-list.ts'
import { CONSOLE_COOKIES } from './session-cookies.ts'
import { ConsoleShell } from './shell.tsx'
import { buildStaffCaller } from './staff-caller.ts'
import type { ConsoleVisit } from './visit.ts'
import { readWorkOverview } from './work-overview.ts'

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
