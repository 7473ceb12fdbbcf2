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

/** The surface whose operators look at merchants' pages: how they sign in, and where it begins. */
type Operators = Pick<Surface<DashboardVisit>, 'base' | 'signIn' | 'sessionCookie' | 'findSession' | 'stepUp'>

const isShown = (route: (typeof ROUTES)[number]): route is PageRoute<DashboardVisit> =>
  route.kind === 'page' && !isHiddenFromOperators(route.path)

/** A merchant's pages as its viewers see them, for operators: no form, and every POST is refused. */
export function viewAs(operators: Operators): Surface<DashboardVisit> {
  return {
    ...operators,
    base: `${operators.base}/as/:merchant`,
    prefixes: ['', TEST],
    routes: ROUTES.filter(isShown),
    guests: [],
    readOnly: FRAME.look.nothing,
    open: (asked, signedIn, prefix) => open(operators.base, { asked, signedIn, prefix }),
    frame: (page, { asked, visit }) => Shell({ page, asked, visit }),
  }
}

async function open(
  consoleBase: string,
  { asked, signedIn, prefix }: { asked: Asked; signedIn: SignedIn; prefix: string },
) {
  const { gateway, params } = asked
  const { app, merchant } = await getMerchant(gateway, params.merchant)
  const out = `${consoleBase}/merchants/${merchant.publicId}`
  const { sessionId } = signedIn
  const until = await openView(gateway, { sessionId, merchantId: merchant.id })
  if (until === null) return { instead: doneTo(out, FRAME.look.over) }
  const base = `${consoleBase}/as/${merchant.publicId}`
  const mode = modeOf(prefix)
  const at: Membership = {
    ...{ merchantId: merchant.id, publicId: merchant.publicId, tag: merchant.tag, cell: app.cell },
    ...{ handle: merchant.handle, role: 'viewer', cashierRefundLimit: 0 },
  }
  const { merchant: _name, ...own } = params
  return {
    visit: {
      ...{
        ...asked,
        params: own,
        app,
        merchant,
        mode,
        base,
        look: { until, out },
        once: null,
        readOnly: true as const,
      },
      signedIn: { ...signedIn, at, memberships: [], hasPasskey: false, firstSteps: false, csrf: '' },
      caller: viewerAt(at, { asked, signedIn, mode }),
      to: (path: string) => addressIn(mode, path, base),
    },
  }
}

/** Reads as a viewer of the merchant does. The name is the operator's: whatever asks who it is gets the truth. */
const viewerAt = (
  { merchantId, tag, cell }: Membership,
  { asked, signedIn, mode }: { asked: Asked; signedIn: SignedIn; mode: Mode },
): PersonCaller => ({
  ...{ kind: 'person', role: 'viewer', name: signedIn.person.email, personId: signedIn.person.id },
  ...{ merchantId, tag, cell, mode, sessionId: signedIn.sessionId },
  ...{ confirmed: true, heldUntil: null, factorAgeMs: null, refundLimit: null },
  ...{ origin: asked.address, requestId: asked.requestId },
})
