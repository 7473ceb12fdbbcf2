import { addClaimedBusiness } from '../../../merchants/people/addresses/add-claimed-business.ts'
import { requestEmailChange } from '../../../merchants/people/addresses/change-email.ts'
import { resendConfirmation } from '../../../merchants/people/addresses/confirm-email.ts'
import { switchMerchant } from '../../../merchants/people/open-sessions.ts'
import { accountFormRoute, accountRoutes } from '../../parts/account/account-routes.tsx'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { addressIn } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import { type DashboardRoute, form } from '../visit.ts'
import { ADD_BUSINESS, CHANGE_EMAIL, RESEND_CONFIRMATION, SECURITY_PAGE, SWITCH_BUSINESS } from './security-page.tsx'

const { security } = PEOPLE

export const SECURITY_ROUTES: readonly DashboardRoute[] = [
  ...accountRoutes(SECURITY_PAGE),
  accountFormRoute(SECURITY_PAGE, CHANGE_EMAIL, async (visit, { email = '' }) => {
    await requestEmailChange(visit.gateway, visit.caller, {
      email,
      visitor: DASHBOARD_COOKIES.visitor(visit),
    })
    return security.email.sent
  }),
  accountFormRoute(SECURITY_PAGE, RESEND_CONFIRMATION, async (visit) => {
    const business = visit.merchant.name
    await resendConfirmation(visit.gateway, visit.caller, {
      visitor: DASHBOARD_COOKIES.visitor(visit),
      business,
    })
    return security.email.resent
  }),
  accountFormRoute(SECURITY_PAGE, ADD_BUSINESS, async (visit, { password = '' }) => {
    await addClaimedBusiness(visit.gateway, visit.caller, {
      password,
      visitor: DASHBOARD_COOKIES.visitor(visit),
    })
    return security.add.done
  }),
  form(SWITCH_BUSINESS, {
    async submit(visit) {
      await switchMerchant(visit.gateway, visit.caller, visit.params.id ?? '')
      return redirectDone(addressIn(visit.mode, '/'))
    },
    showRefused: SECURITY_PAGE.show,
  }),
]
