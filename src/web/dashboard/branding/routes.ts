import { setBranding } from '../../../merchants/branding/branding.ts'
import { assert } from '../../../platform/assert.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { BRANDING } from '../texts/branding.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { BRANDING_PATH, DROP_COLOUR, DROP_LOGO, SET_COLOUR, SET_LOGO, showBranding } from './branding-page.tsx'

const { colour, logo } = BRANDING

/** Settings, Branding. */
export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  pageRoute(BRANDING_PATH, showBranding, 'shop.read'),
  formRoute(SET_COLOUR, {
    async submit(visit, { accent = '' }) {
      await changeBranding(visit, { accent })
      return returnToBranding(visit, colour.saved)
    },
    showRefused: showBranding,
  }),
  formRoute(DROP_COLOUR, {
    async submit(visit) {
      await changeBranding(visit, { accent: null })
      return returnToBranding(visit, colour.dropped)
    },
    showRefused: showBranding,
  }),
  formRoute(SET_LOGO, {
    async submit(visit) {
      assert(visit.file !== null, 'the form wants a file')
      await changeBranding(visit, { logo: visit.file.bytes })
      return returnToBranding(visit, logo.saved)
    },
    showRefused: showBranding,
  }),
  formRoute(DROP_LOGO, {
    async submit(visit) {
      await changeBranding(visit, { logo: null })
      return returnToBranding(visit, logo.dropped)
    },
    showRefused: showBranding,
  }),
]

const returnToBranding = (visit: DashboardVisit, message: string) => redirectDone(visit.to(BRANDING_PATH), message)

function changeBranding(visit: DashboardVisit, to: Parameters<typeof setBranding>[2]['change']) {
  return setBranding(visit.app, visit.caller, { merchantId: visit.merchant.id, change: to })
}
