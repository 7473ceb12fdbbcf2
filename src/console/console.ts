import type { Asked } from '../pages/route.ts'
import { stepUpWith } from '../pages/step-up.ts'
import type { Surface } from '../pages/surface.ts'
import { findSession, type SignedIn } from '../people/session.ts'
import { addressOf, BASE } from './addresses.ts'
import { callerOf } from './caller.ts'
import { GUESTS } from './guests.ts'
import { ROUTES } from './routes-list.ts'
import { COOKIES } from './session-cookies.ts'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'
import { waitingFor } from './waiting.ts'

/** The console, the pages for our own staff. */
export const CONSOLE: Surface<ConsoleVisit> = {
  base: BASE,
  prefixes: [''],
  signIn: `${BASE}/sign-in`,
  routes: ROUTES,
  guests: GUESTS,
  sessionCookie: COOKIES.name,
  findSession: (gateway, cookie, how) => findSession(gateway, 'operator', cookie, how),
  open,
  stepUp: stepUpWith(COOKIES),
  frame: (page, { asked, visit }) => Shell({ page, asked, visit }),
}

async function open(asked: Asked, signedIn: SignedIn) {
  const caller = callerOf(asked, signedIn)
  const waiting = await waitingFor(asked.gateway, caller.personId)
  return { visit: { ...asked, signedIn, caller, waiting, to: addressOf, once: null } }
}
