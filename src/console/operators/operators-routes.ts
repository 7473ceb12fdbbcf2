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

/** A form of the page that leads back to it with a sentence. */
const act = (spec: FormSpec, does: (visit: ConsoleVisit, values: Values) => Promise<string>): ConsoleRoute =>
  form(spec, {
    submit: async (visit, values) => doneTo(visit.to(PATH), await does(visit, values)),
    again: showOperators,
  })

const idOf = ({ params }: ConsoleVisit) => params.id ?? ''
// The form takes one of the choices, which are the roles.
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

/** What an operator has asked others to approve ends with its role; the task that does so need not wait for its minute. */
function endWhatWasAsked({ gateway }: ConsoleVisit): void {
  for (const app of gateway.cells) app.nudge('expire-prepared')
}
