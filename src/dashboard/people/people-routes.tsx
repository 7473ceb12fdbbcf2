import type { MerchantRole } from '../../actors/actor.ts'
import { ACCOUNT } from '../../pages/account/texts.ts'
import { amountOf, type FormSpec, type FormState, type Values } from '../../pages/form-spec.ts'
import { Copy, timeText } from '../../pages/parts.tsx'
import { QrPicture } from '../../pages/qr-picture.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { shown, ugx } from '../../pages/wording.ts'
import { invite, takeBackInvitation } from '../../people/invitations.ts'
import { removeMember, setRole } from '../../people/members.ts'
import { endSessionAt } from '../../people/open-sessions.ts'
import { setRefundLimit } from '../../people/refund-limit.ts'
import { showTillCode } from '../../people/tills.ts'
import { PEOPLE } from '../texts/people.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import {
  END_SESSION,
  INVITE,
  LIMIT,
  PEOPLE_PATH,
  REMOVE,
  SET_ROLE,
  showPeople,
  TAKE_BACK,
  TILL,
} from './people-page.tsx'

const again = (visit: DashboardVisit, state: FormState) => showPeople(visit, state)

/** Declares a form of the page that leads back to it with a message. */
const act = (
  spec: FormSpec,
  operation: (visit: DashboardVisit, values: Values) => Promise<string>,
): DashboardRoute =>
  form(spec, {
    submit: async (visit, values) => doneTo(visit.to(PEOPLE_PATH), await operation(visit, values)),
    again,
  })

const idOf = ({ params }: DashboardVisit) => params.id ?? ''
const memberOf = (visit: DashboardVisit) => ({ merchantId: visit.merchant.id, publicId: idOf(visit) })
// The form accepts only its choices, which are the roles.
const roleOf = ({ role }: Values) => role as MerchantRole

async function showCode(visit: DashboardVisit, { name = '', hours = '' }: Values): Promise<Shown> {
  const { gateway, caller, merchant } = visit
  const code = await showTillCode(gateway, caller, { merchantId: merchant.id, name, hours: Number(hours) })
  const { till } = PEOPLE
  return shownPage(
    till.codeTitle,
    <>
      <h1>{till.codeTitle}</h1>
      <p>{till.codeSays(timeText(code.expiresAt), timeText(code.shiftEnds))}</p>
      <QrPicture text={code.address} title={till.codeTitle} />
      <p>{till.or}</p>
      <Copy text={code.address} label={till.or} />
      <p>
        <a href={visit.to(PEOPLE_PATH)}>{till.done}</a>
      </p>
    </>,
  )
}

export const PEOPLE_ROUTES: readonly DashboardRoute[] = [
  page(PEOPLE_PATH, (visit) => showPeople(visit)),
  act(INVITE, async ({ gateway, caller, merchant }, values) => {
    const { email = '' } = values
    await invite(gateway, caller, { merchant, email, role: roleOf(values) })
    return PEOPLE.invite.sent(shown(email))
  }),
  act(TAKE_BACK, async (visit) => {
    await takeBackInvitation(visit.gateway, visit.caller, { merchant: visit.merchant, id: idOf(visit) })
    return PEOPLE.invite.takenBack
  }),
  act(SET_ROLE, async (visit, values) => {
    await setRole(visit.gateway, visit.caller, { member: memberOf(visit), role: roleOf(values) })
    visit.app.nudge('expire-prepared')
    return PEOPLE.members.changed
  }),
  form(REMOVE, {
    async submit(visit) {
      await removeMember(visit.gateway, visit.caller, memberOf(visit))
      visit.app.nudge('expire-prepared')
      const removedSelf = idOf(visit) === visit.signedIn.person.publicId
      return doneTo(removedSelf ? visit.to('/') : visit.to(PEOPLE_PATH), PEOPLE.members.removed)
    },
    again,
  }),
  form(TILL, { submit: showCode, again }),
  act(LIMIT, async ({ gateway, caller, merchant }, values) => {
    const limit = amountOf(values, 'limit')
    await setRefundLimit(gateway, caller, { merchantId: merchant.id, limit })
    return PEOPLE.limit.set(ugx(limit))
  }),
  act(END_SESSION, async (visit) => {
    const { gateway, caller, merchant } = visit
    await endSessionAt(gateway, caller, { merchantId: merchant.id, sessionId: idOf(visit) })
    return ACCOUNT.sessions.ended
  }),
]
