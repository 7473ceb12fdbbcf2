import { merchantsById } from '../merchants/merchant.ts'
import { ErrorPage } from '../pages/error-page.tsx'
import type { Asked } from '../pages/route.ts'
import { doneTo, shownPage } from '../pages/shown.ts'
import { stepUpWith } from '../pages/step-up.ts'
import type { Surface } from '../pages/surface.ts'
import { callerOf, findSession, type Membership, type SignedIn } from '../people/session.ts'
import { addressIn, BASE, modeOf, pathIn, TEST } from './addresses.ts'
import { GUESTS } from './guests.ts'
import { ROUTES } from './routes-list.ts'
import { COOKIES } from './session-cookies.ts'
import { Shell } from './shell.tsx'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

/** The merchants' dashboard. */
export const DASHBOARD: Surface<DashboardVisit> = {
  base: BASE,
  prefixes: ['', TEST],
  signIn: `${BASE}/sign-in`,
  routes: ROUTES,
  guests: GUESTS,
  sessionCookie: COOKIES.name,
  findSession: (gateway, cookie, how) => findSession(gateway, 'merchant', cookie, how),
  open,
  stepUp: stepUpWith(COOKIES),
  frame: (page, { asked, visit }) => Shell({ page, asked, visit }),
}

async function open(asked: Asked, signedIn: SignedIn, prefix: string) {
  if (!worksSomewhere(signedIn)) {
    const { title, says } = FRAME.noBusiness
    return { instead: shownPage(title, ErrorPage({ title, says }), { status: 403 }) }
  }
  const mode = modeOf(prefix)
  // The first page of a till is its counter.
  if (signedIn.till && pathIn(asked.here, BASE) === '/')
    return { instead: doneTo(addressIn(mode, '/counter')) }
  const app = asked.gateway.appOf(signedIn.at)
  const query = merchantsById([signedIn.at.merchantId])
  const [merchant] = await app.db.query(query.statement, query.values)
  if (!merchant) throw new Error(`merchant ${signedIn.at.merchantId} has a membership and no row`)
  const caller = callerOf(signedIn, {
    ...{ mode, origin: asked.address, requestId: asked.requestId, nowMs: asked.now.getTime() },
  })
  const to = (path: string) => addressIn(mode, path)
  return {
    visit: { ...asked, signedIn, app, merchant, mode, base: BASE, look: null, caller, to, once: null },
  }
}

const worksSomewhere = (signedIn: SignedIn): signedIn is SignedIn & { at: Membership } => signedIn.at !== null
