import type { PersonCaller } from '../actors/actor.ts'
import { getMerchant } from '../merchants/set-merchant.ts'
import { openView } from '../merchants/support-views.ts'
import type { Asked, PageRoute } from '../pages/route.ts'
import { doneTo } from '../pages/shown.ts'
import type { Surface } from '../pages/surface.ts'
import type { Membership, SignedIn } from '../people/session.ts'
import type { Mode } from '../platform/mode.ts'
import { addressIn, modeOf, TEST } from './addresses.ts'
import { isHiddenFromOperators } from './hidden-from-operators.ts'
import { ROUTES } from './routes-list.ts'
import { Shell } from './shell.tsx'
import { FRAME } from './texts/frame.ts'
import type { DashboardVisit } from './visit.ts'

/** What the console lends to the pages of merchants that its staff view: its base path, sign-in and sessions. */
type Operators = Pick<Surface<DashboardVisit>, 'base' | 'signIn' | 'sessionCookie' | 'findSession' | 'stepUp'>

const isShown = (route: (typeof ROUTES)[number]): route is PageRoute<DashboardVisit> =>
  route.kind === 'page' && !isHiddenFromOperators(route.path)

/** Builds the surface on which staff see a merchant's pages as its viewers do: it has no forms, and every POST is refused. */
export function viewAs(staffSurface: Operators): Surface<DashboardVisit> {
  return {
    ...staffSurface,
    base: `${staffSurface.base}/as/:merchant`,
    prefixes: ['', TEST],
    routes: ROUTES.filter(isShown),
    guests: [],
    readOnly: FRAME.look.nothing,
    open: (asked, signedIn, prefix) => open(staffSurface.base, { asked, signedIn, prefix }),
    frame: (page, { asked, visit }) => Shell({ page, asked, visit }),
  }
}

async function open(
  consoleBase: string,
  { asked, signedIn, prefix }: { asked: Asked; signedIn: SignedIn; prefix: string },
) {
  const { gateway, params } = asked
  const { app, merchant } = await getMerchant(gateway, params.merchant)
  const merchantPage = `${consoleBase}/merchants/${merchant.publicId}`
  const { sessionId } = signedIn
  const until = await openView(gateway, { sessionId, merchantId: merchant.id })
  if (until === null) return { instead: doneTo(merchantPage, FRAME.look.over) }
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
        look: { until, out: merchantPage },
        once: null,
        readOnly: true as const,
      },
      signedIn: { ...signedIn, at, memberships: [], hasPasskey: false, firstSteps: false, csrf: '' },
      caller: viewerAt(at, { asked, signedIn, mode }),
      to: (path: string) => addressIn(mode, path, base),
    },
  }
}

/** Builds a caller with the rights of a viewer of the merchant. Name and ids are those of the staff person, so what records them is true. */
const viewerAt = (
  { merchantId, tag, cell }: Membership,
  { asked, signedIn, mode }: { asked: Asked; signedIn: SignedIn; mode: Mode },
): PersonCaller => ({
  ...{ kind: 'person', role: 'viewer', name: signedIn.person.email, personId: signedIn.person.id },
  ...{ merchantId, tag, cell, mode, sessionId: signedIn.sessionId },
  ...{ confirmed: true, heldUntil: null, factorAgeMs: null, refundLimit: null },
  ...{ origin: asked.address, requestId: asked.requestId },
})
