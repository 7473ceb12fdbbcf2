import type { PersonCaller } from '../../api/access/actor.ts'
import { getMerchant } from '../../merchants/account/set-merchant.ts'
import { findSupportViewEnd } from '../../merchants/account/support-views.ts'
import type { Membership, SignedInSession } from '../../merchants/people/session.ts'
import type { Mode } from '../../platform/mode.ts'
import type { PageRequest, PageRoute } from '../parts/routes/route.ts'
import type { Surface } from '../parts/routes/surface.ts'
import { redirectDone } from '../parts/routes/surface-reply.ts'
import { addressIn, modeOf, TEST_PREFIX } from './addresses.ts'
import { isHiddenFromStaff } from './hidden-from-staff.ts'
import { DASHBOARD_ROUTES } from './routes-list.ts'
import { DashboardShell } from './shell.tsx'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

/** What the console lends to the pages of merchants that its staff view: its base path, sign-in and sessions. */
type StaffSurface = Pick<Surface<DashboardVisit>, 'base' | 'signIn' | 'sessionCookie' | 'findSession' | 'stepUp'>

const isShownToStaff = (route: (typeof DASHBOARD_ROUTES)[number]): route is PageRoute<DashboardVisit> =>
  route.kind === 'page' && !isHiddenFromStaff(route.path)

/** Builds the surface on which staff see a merchant's pages as its viewers do: it has no forms, and every POST is refused. */
export function buildViewAsSurface(staffSurface: StaffSurface): Surface<DashboardVisit> {
  return {
    ...staffSurface,
    base: `${staffSurface.base}/as/:merchant`,
    prefixes: ['', TEST_PREFIX],
    routes: DASHBOARD_ROUTES.filter(isShownToStaff),
    guests: [],
    readOnly: FRAME.staffView.nothing,
    open: (asked, signedIn, prefix) => openStaffVisit(staffSurface.base, { asked, signedIn, prefix }),
    frame: (page, { asked, visit }) => DashboardShell({ page, asked, visit }),
  }
}

async function openStaffVisit(
  consoleBase: string,
  { asked, signedIn, prefix }: { asked: PageRequest; signedIn: SignedInSession; prefix: string },
) {
  const { gateway, params } = asked
  const { app, merchant } = await getMerchant(gateway, params.merchant)
  const merchantPage = `${consoleBase}/merchants/${merchant.publicId}`
  const { sessionId } = signedIn
  const until = await findSupportViewEnd(gateway, { sessionId, merchantId: merchant.id })
  if (until === null) return { instead: redirectDone(merchantPage, FRAME.staffView.over) }
  const base = `${consoleBase}/as/${merchant.publicId}`
  const mode = modeOf(prefix)
  const at: Membership = {
    ...{ merchantId: merchant.id, publicId: merchant.publicId, tag: merchant.tag, cell: app.cell },
    ...{ handle: merchant.handle, role: 'viewer', cashierRefundLimit: 0 },
  }
  // The pages know their merchant by the visit, not by a parameter.
  const { merchant: _id, ...ownParams } = params
  return {
    visit: {
      ...{
        ...asked,
        params: ownParams,
        app,
        merchant,
        mode,
        base,
        staffView: { until, backTo: merchantPage },
        once: null,
        readOnly: true as const,
      },
      signedIn: { ...signedIn, at, memberships: [], hasPasskey: false, firstSteps: false, csrf: '' },
      caller: buildViewerCaller(at, { asked, signedIn, mode }),
      to: (path: string) => addressIn(mode, path, base),
    },
  }
}

/** Builds a caller with the rights of a viewer of the merchant. Name and ids are those of the staff person, so what records them is true. */
const buildViewerCaller = (
  { merchantId, tag, cell }: Membership,
  { asked, signedIn, mode }: { asked: PageRequest; signedIn: SignedInSession; mode: Mode },
): PersonCaller => ({
  ...{ kind: 'person', role: 'viewer', name: signedIn.person.email, personId: signedIn.person.id },
  ...{ merchantId, tag, cell, mode, sessionId: signedIn.sessionId },
  ...{ confirmed: true, heldUntil: null, factorAgeMs: null, refundLimit: null },
  ...{ origin: asked.address, requestId: asked.requestId },
})
