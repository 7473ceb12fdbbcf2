import type { OperatorRole } from '../../actors/actor.ts'
import type { FormSpec, Values } from '../../pages/form-spec.ts'
import { doneTo } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import {
  endOperatorSession,
  removeOperator,
  setOperatorRole,
} from '../../people/operators/change-operators.ts'
import { inviteOperator, resetOperator, takeBackOperator } from '../../people/operators/invite-operators.ts'
import { OPERATORS_PAGE } from '../texts/operators.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { END_SESSION, INVITE, PATH, REMOVE, RESET, SET_ROLE, TAKE_BACK } from './operator-forms.ts'
import { showOperators } from './operators-page.tsx'

const { invite, open, role, reset, remove, sessions } = OPERATORS_PAGE

/** Makes a form of the page of our staff. `perform` returns the sentence that the page then shows. */
const act = (
  spec: FormSpec,
  perform: (visit: ConsoleVisit, values: Values) => Promise<string>,
): ConsoleRoute =>
  form(spec, {
    submit: async (visit, values) => doneTo(visit.to(PATH), await perform(visit, values)),
    again: showOperators,
  })

const idOf = ({ params }: ConsoleVisit) => params.id ?? ''
// The form has accepted only its own choices, which are the roles.
const roleOf = ({ role }: Values) => role as OperatorRole

export const OPERATORS_ROUTES: readonly ConsoleRoute[] = [
  page(PATH, (visit) => showOperators(visit)),
  act(INVITE, async ({ gateway, caller }, values) => {
    const { email = '' } = values
    await inviteOperator(gateway, caller, { email, role: roleOf(values) })
    return invite.sent(shown(email))
  }),
  act(TAKE_BACK, async (visit) => {
    await takeBackOperator(visit.gateway, visit.caller, idOf(visit))
    return open.takenBack
  }),
  act(SET_ROLE, async (visit, values) => {
    await setOperatorRole(visit.gateway, visit.caller, { publicId: idOf(visit), role: roleOf(values) })
    endWhatWasAsked(visit)
    return role.done
  }),
  act(RESET, async (visit) => {
    await resetOperator(visit.gateway, visit.caller, { publicId: idOf(visit) })
    return reset.done
  }),
  act(REMOVE, async (visit) => {
    await removeOperator(visit.gateway, visit.caller, idOf(visit))
    endWhatWasAsked(visit)
    return remove.done
  }),
  act(END_SESSION, async (visit) => {
    await endOperatorSession(visit.gateway, visit.caller, idOf(visit))
    return sessions.ended
  }),
]

/** Runs the task that expires approvals at once: a person who lost a role keeps no waiting request. */
function endWhatWasAsked({ gateway }: ConsoleVisit): void {
  for (const app of gateway.cells) app.nudge('expire-prepared')
}
