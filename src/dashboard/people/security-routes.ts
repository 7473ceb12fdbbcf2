import { accountAct, accountRoutes } from '../../pages/account/account-routes.tsx'
import { doneTo } from '../../pages/shown.ts'
import { addClaimed } from '../../people/add-claimed.ts'
import { requestEmailChange } from '../../people/change-email.ts'
import { resendConfirmation } from '../../people/confirm-email.ts'
import { switchMerchant } from '../../people/open-sessions.ts'
import { addressIn } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import { type DashboardRoute, form } from '../visit.ts'
import { ADD_BUSINESS, EMAIL, RESEND, SECURITY, SWITCH } from './security-page.tsx'

const { security } = PEOPLE

export const SECURITY_ROUTES: readonly DashboardRoute[] = [
  ...accountRoutes(SECURITY),
  accountAct(SECURITY, EMAIL, async (visit, { email = '' }) => {
    await requestEmailChange(visit.gateway, visit.caller, { email, visitor: COOKIES.visitor(visit) })
    return security.email.sent
  }),
  accountAct(SECURITY, RESEND, async (visit) => {
    const business = visit.merchant.name
    await resendConfirmation(visit.gateway, visit.caller, { visitor: COOKIES.visitor(visit), business })
    return security.email.resent
  }),
  accountAct(SECURITY, ADD_BUSINESS, async (visit, { password = '' }) => {
    await addClaimed(visit.gateway, visit.caller, { password, visitor: COOKIES.visitor(visit) })
    return security.add.done
  }),
  form(SWITCH, {
    async submit(visit) {
      await switchMerchant(visit.gateway, visit.caller, visit.params.id ?? '')
      return doneTo(addressIn(visit.mode, '/'))
    },
    again: SECURITY.show,
  }),
]
