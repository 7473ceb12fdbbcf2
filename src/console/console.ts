import type { Asked } from '../pages/route.ts'
import { stepUpWith } from '../pages/step-up.ts'
import type { Surface } from '../pages/surface.ts'
import { findSession, operatorOf, type SignedIn } from '../people/session.ts'
import { assert } from '../platform/assert.ts'
import { addressOf, BASE } from './addresses.ts'
import { GUESTS } from './guests.ts'
import { ROUTES } from './routes-list.ts'
import { COOKIES } from './session-cookies.ts'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'

/** The operators' console. */
export const CONSOLE: Surface<ConsoleVisit> = {
  base: BASE,
  prefixes: [''],
  signIn: `${BASE}/sign-in`,
  routes: ROUTES,
  guests: GUESTS,
  sessionCookie: COOKIES.name,
  findSession: (gateway, cookie) => findSession(gateway, 'operator', cookie),
  open,
  stepUp: stepUpWith(COOKIES),
  frame: (page, { asked, visit }) => Shell({ page, asked, visit }),
}

async function open(asked: Asked, signedIn: SignedIn) {
  const { operatorRole: role } = signedIn
  assert(role !== null, 'an operator has a role')
  const { address: origin, requestId, now } = asked
  const caller = operatorOf(signedIn, { role, origin, requestId, nowMs: now.getTime() })
  return { visit: { ...asked, signedIn, caller, to: addressOf, once: null } }
}
