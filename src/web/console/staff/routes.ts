import type { StaffRole } from '../../../api/access/actor.ts'
import { endStaffSession, removeStaff, setStaffRole } from '../../../merchants/people/staff/change-staff.ts'
import { inviteStaff, resetStaff, takeBackStaffInvitation } from '../../../merchants/people/staff/invite-staff.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { FormSpec, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { STAFF_PAGE_TEXTS } from '../texts/staff.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import {
  END_STAFF_SESSION_FORM,
  INVITE_STAFF_FORM,
  REMOVE_STAFF_FORM,
  RESET_STAFF_FORM,
  SET_STAFF_ROLE_FORM,
  STAFF_PATH,
  TAKE_BACK_INVITATION_FORM,
} from './staff-forms.ts'
import { showStaff } from './staff-page.tsx'

const { invite, open, role, reset, remove, sessions } = STAFF_PAGE_TEXTS

/** Makes a form of the page of our staff. `perform` returns the sentence that the page then shows. */
const staffForm = (
  spec: FormSpec,
  perform: (visit: ConsoleVisit, values: FormValues) => Promise<string>,
): ConsoleRoute =>
  formRoute(spec, {
    submit: async (visit, values) => redirectDone(visit.to(STAFF_PATH), await perform(visit, values)),
    showRefused: showStaff,
  })

const idOf = ({ params }: ConsoleVisit) => params.id ?? ''
// The form has accepted only its own choices, which are the roles.
const roleOf = ({ role }: FormValues) => role as StaffRole

export const STAFF_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(STAFF_PATH, showStaff, 'console.read'),
  staffForm(INVITE_STAFF_FORM, async ({ gateway, caller }, values) => {
    const { email = '' } = values
    await inviteStaff(gateway, caller, { email, role: roleOf(values) })
    return invite.sent(oneLine(email))
  }),
  staffForm(TAKE_BACK_INVITATION_FORM, async (visit) => {
    await takeBackStaffInvitation(visit.gateway, visit.caller, idOf(visit))
    return open.takenBack
  }),
  staffForm(SET_STAFF_ROLE_FORM, async (visit, values) => {
    await setStaffRole(visit.gateway, visit.caller, { publicId: idOf(visit), role: roleOf(values) })
    expireRequests(visit)
    return role.done
  }),
  staffForm(RESET_STAFF_FORM, async (visit) => {
    await resetStaff(visit.gateway, visit.caller, { publicId: idOf(visit) })
    return reset.done
  }),
  staffForm(REMOVE_STAFF_FORM, async (visit) => {
    await removeStaff(visit.gateway, visit.caller, idOf(visit))
    expireRequests(visit)
    return remove.done
  }),
  staffForm(END_STAFF_SESSION_FORM, async (visit) => {
    await endStaffSession(visit.gateway, visit.caller, idOf(visit))
    return sessions.ended
  }),
]

/** Runs the task that expires approvals at once: a person who lost a role keeps no waiting request. */
function expireRequests({ gateway }: ConsoleVisit): void {
  for (const app of gateway.cells) app.nudge('expire-prepared')
}
