import { findMerchantsById } from '../../merchants/account/merchant.ts'
import { findSession, type Membership, makePersonCaller, type SignedInSession } from '../../merchants/people/session.ts'
import { ErrorPage } from '../parts/error-page.tsx'
import { newStepUp } from '../parts/forms/step-up.ts'
import type { GuestRoute, PageRequest } from '../parts/routes/route.ts'
import type { Surface } from '../parts/routes/surface.ts'
import { pageReply, redirectDone } from '../parts/routes/surface-reply.ts'
import { signInPages } from '../parts/sign-in/sign-in-pages.tsx'
import { addressIn, DASHBOARD_BASE, modeOf, parsePagePath, TEST_PREFIX } from './addresses.ts'
import { NOTICE_GUESTS } from './notices/answer-page.tsx'
import { DASHBOARD_DOOR } from './people/door.tsx'
import { LINK_GUESTS } from './people/link-pages.tsx'
import { SIGN_UP_GUESTS } from './people/sign-up-page.tsx'
import { DASHBOARD_ROUTES } from './routes-list.ts'
import { DASHBOARD_COOKIES } from './session-cookies.ts'
import { DashboardShell } from './shell.tsx'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

/** The pages for people who are not signed in. */
export const DASHBOARD_GUESTS: readonly GuestRoute[] = [
  ...signInPages(DASHBOARD_DOOR),
  ...SIGN_UP_GUESTS,
  ...LINK_GUESTS,
  ...NOTICE_GUESTS,
]

/** The merchants' dashboard. */
export const DASHBOARD: Surface<DashboardVisit> = {
  base: DASHBOARD_BASE,
  prefixes: ['', TEST_PREFIX],
  signIn: `${DASHBOARD_BASE}/sign-in`,
  routes: DASHBOARD_ROUTES,
  guests: DASHBOARD_GUESTS,
  sessionCookie: DASHBOARD_COOKIES.name,
  findSession: (gateway, cookie, how) => findSession(gateway, 'merchant', cookie, how),
  open: openDashboardVisit,
  stepUp: newStepUp(DASHBOARD_COOKIES),
  frame: (page, { asked, visit }) => DashboardShell({ page, asked, visit }),
}

async function openDashboardVisit(asked: PageRequest, signedIn: SignedInSession, prefix: string) {
  if (!hasMembership(signedIn)) {
    const { title, says } = FRAME.noBusiness
    return { instead: pageReply(title, ErrorPage({ title, says }), { status: 403 }) }
  }
  const mode = modeOf(prefix)
  // The first page of a till is its counter.
  if (signedIn.till && parsePagePath(asked.here, DASHBOARD_BASE) === '/')
    return { instead: redirectDone(addressIn(mode, '/counter')) }
  const app = asked.gateway.appOf(signedIn.at)
  const query = findMerchantsById([signedIn.at.merchantId])
  const [merchant] = await app.db.query(query.statement, query.values)
  if (!merchant) throw new Error(`merchant ${signedIn.at.merchantId} has a membership and no row`)
  const caller = makePersonCaller(signedIn, {
    ...{ mode, origin: asked.address, requestId: asked.requestId, nowMs: asked.now.getTime() },
  })
  const to = (path: string) => addressIn(mode, path)
  return {
    visit: {
      ...asked,
      signedIn,
      app,
      merchant,
      mode,
      base: DASHBOARD_BASE,
      staffView: null,
      caller,
      to,
      once: null,
    },
  }
}

const hasMembership = (signedIn: SignedInSession): signedIn is SignedInSession & { at: Membership } =>
  signedIn.at !== null
