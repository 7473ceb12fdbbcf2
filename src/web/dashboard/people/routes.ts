import type { MerchantRole } from '../../../api/access/actor.ts'
import { addClaimedBusiness } from '../../../merchants/people/addresses/add-claimed-business.ts'
import { requestEmailChange } from '../../../merchants/people/addresses/change-email.ts'
import { resendConfirmation } from '../../../merchants/people/addresses/confirm-email.ts'
import { invitePerson, takeBackInvitation } from '../../../merchants/people/invitations.ts'
import { removeMember, setRole } from '../../../merchants/people/members.ts'
import { endSessionAt, switchMerchant } from '../../../merchants/people/open-sessions.ts'
import { setRefundLimit } from '../../../merchants/people/refund-limit.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { accountFormRoute, accountRoutes } from '../../parts/account/account-routes.tsx'
import { ACCOUNT } from '../../parts/account/texts.ts'
import { type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { addressIn } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import {
  END_MEMBER_SESSION,
  INVITE_MEMBER,
  PEOPLE_PATH,
  REMOVE_MEMBER,
  SET_MEMBER_ROLE,
  SET_REFUND_LIMIT,
  SHOW_TILL_CODE,
  showPeople,
  TAKE_BACK_INVITATION,
} from './people-page.tsx'
import { ADD_BUSINESS, CHANGE_EMAIL, RESEND_CONFIRMATION, SECURITY_PAGE, SWITCH_BUSINESS } from './security-page.tsx'
import { showTillCode } from './till-code-page.tsx'

/** Declares a form of the page that leads back to it with a message. */
const peopleRoute = (
  spec: FormSpec,
  operation: (visit: DashboardVisit, values: FormValues) => Promise<string>,
): DashboardRoute =>
  formRoute(spec, {
    submit: async (visit, values) => redirectDone(visit.to(PEOPLE_PATH), await operation(visit, values)),
    showRefused: showPeople,
  })

const idOf = ({ params }: DashboardVisit) => params.id ?? ''
const memberKeyOf = (visit: DashboardVisit) => ({ merchantId: visit.merchant.id, publicId: idOf(visit) })
// The form accepts only its choices, which are the roles.
const roleOf = ({ role }: FormValues) => role as MerchantRole

const { security } = PEOPLE

/** Settings, People: who works for the merchant; and the page of a person's own account. */
export const PEOPLE_ROUTES: readonly DashboardRoute[] = [
  pageRoute(PEOPLE_PATH, showPeople, 'shop.read'),
  peopleRoute(INVITE_MEMBER, async ({ gateway, caller, merchant }, values) => {
    const { email = '' } = values
    await invitePerson(gateway, caller, { merchant, email, role: roleOf(values) })
    return PEOPLE.invite.sent(oneLine(email))
  }),
  peopleRoute(TAKE_BACK_INVITATION, async (visit) => {
    await takeBackInvitation(visit.gateway, visit.caller, { merchant: visit.merchant, id: idOf(visit) })
    return PEOPLE.invite.takenBack
  }),
  peopleRoute(SET_MEMBER_ROLE, async (visit, values) => {
    await setRole(visit.gateway, visit.caller, { member: memberKeyOf(visit), role: roleOf(values) })
    visit.app.nudge('expire-prepared')
    return PEOPLE.members.changed
  }),
  formRoute(REMOVE_MEMBER, {
    async submit(visit) {
      await removeMember(visit.gateway, visit.caller, memberKeyOf(visit))
      visit.app.nudge('expire-prepared')
      const removedSelf = idOf(visit) === visit.signedIn.person.publicId
      return redirectDone(removedSelf ? visit.to('/') : visit.to(PEOPLE_PATH), PEOPLE.members.removed)
    },
    showRefused: showPeople,
  }),
  formRoute(SHOW_TILL_CODE, { submit: showTillCode, showRefused: showPeople }),
  peopleRoute(SET_REFUND_LIMIT, async ({ gateway, caller, merchant }, values) => {
    const limit = getAmount(values, 'limit')
    await setRefundLimit(gateway, caller, { merchantId: merchant.id, limit })
    return PEOPLE.limit.set(formatShillings(limit))
  }),
  peopleRoute(END_MEMBER_SESSION, async (visit) => {
    const { gateway, caller, merchant } = visit
    await endSessionAt(gateway, caller, { merchantId: merchant.id, sessionId: idOf(visit) })
    return ACCOUNT.sessions.ended
  }),
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
  formRoute(SWITCH_BUSINESS, {
    async submit(visit) {
      await switchMerchant(visit.gateway, visit.caller, visit.params.id ?? '')
      return redirectDone(addressIn(visit.mode, '/'))
    },
    showRefused: SECURITY_PAGE.show,
  }),
]
