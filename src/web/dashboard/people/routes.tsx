import type { MerchantRole } from '../../../api/access/actor.ts'
import { invitePerson, takeBackInvitation } from '../../../merchants/people/invitations.ts'
import { removeMember, setRole } from '../../../merchants/people/members.ts'
import { endSessionAt } from '../../../merchants/people/open-sessions.ts'
import { setRefundLimit } from '../../../merchants/people/refund-limit.ts'
import { makeTillCode } from '../../../merchants/people/sign-in/tills.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { ACCOUNT } from '../../parts/account/texts.ts'
import { type FormSpec, type FormState, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { CopyBox, formatPageTime } from '../../parts/parts.tsx'
import { QrPicture } from '../../parts/qr-picture.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { PEOPLE } from '../texts/people.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
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

const showRefusedForm = (visit: DashboardVisit, state: FormState) => showPeople(visit, state)

/** Declares a form of the page that leads back to it with a message. */
const peopleRoute = (
  spec: FormSpec,
  operation: (visit: DashboardVisit, values: FormValues) => Promise<string>,
): DashboardRoute =>
  form(spec, {
    submit: async (visit, values) => redirectDone(visit.to(PEOPLE_PATH), await operation(visit, values)),
    showRefused: showRefusedForm,
  })

const idOf = ({ params }: DashboardVisit) => params.id ?? ''
const memberKeyOf = (visit: DashboardVisit) => ({ merchantId: visit.merchant.id, publicId: idOf(visit) })
// The form accepts only its choices, which are the roles.
const roleOf = ({ role }: FormValues) => role as MerchantRole

async function showTillCodePage(visit: DashboardVisit, { name = '', hours = '' }: FormValues): Promise<SurfaceReply> {
  const { gateway, caller, merchant } = visit
  const code = await makeTillCode(gateway, caller, { merchantId: merchant.id, name, hours: Number(hours) })
  const { till } = PEOPLE
  return pageReply(
    till.codeTitle,
    <>
      <h1>{till.codeTitle}</h1>
      <p>{till.codeSays(formatPageTime(code.expiresAt), formatPageTime(code.shiftEnds))}</p>
      <QrPicture text={code.address} title={till.codeTitle} />
      <p>{till.or}</p>
      <CopyBox text={code.address} label={till.or} />
      <p>
        <a href={visit.to(PEOPLE_PATH)}>{till.done}</a>
      </p>
    </>,
  )
}

export const PEOPLE_ROUTES: readonly DashboardRoute[] = [
  page(PEOPLE_PATH, (visit) => showPeople(visit)),
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
  form(REMOVE_MEMBER, {
    async submit(visit) {
      await removeMember(visit.gateway, visit.caller, memberKeyOf(visit))
      visit.app.nudge('expire-prepared')
      const removedSelf = idOf(visit) === visit.signedIn.person.publicId
      return redirectDone(removedSelf ? visit.to('/') : visit.to(PEOPLE_PATH), PEOPLE.members.removed)
    },
    showRefused: showRefusedForm,
  }),
  form(SHOW_TILL_CODE, { submit: showTillCodePage, showRefused: showRefusedForm }),
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
]
