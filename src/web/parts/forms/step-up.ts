import type { SignedInActor } from '../../../api/access/actor.ts'
import { stepUp } from '../../../merchants/people/sign-in/step-up.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Visit } from '../routes/route.ts'
import type { SessionCookies } from '../routes/session-cookies.ts'
import type { StepUp } from './answer-form.ts'
import type { PostedFields } from './fields.ts'
import { FieldFault } from './form-spec.ts'

/** Makes a surface's step-up: it confirms an act with the second factor, or with the password if there is none (A73). */
export const newStepUp =
  <V extends Visit & { caller: SignedInActor }>(cookies: SessionCookies): StepUp<V> =>
  async (visit, confirm) => {
    try {
      const act = buildConfirmedAct(visit.here, visit.fields)
      const { token } = await stepUp(visit.gateway, visit.caller, {
        confirm,
        visitor: cookies.visitor(visit),
        act,
      })
      const caller = { ...visit.caller, factorAgeMs: 0 }
      // A passkey confirms this one act alone.
      if (token === null) return { act: { ...visit, caller }, after: visit, cookies: [] }
      const stepped = { ...visit, signedIn: { ...visit.signedIn, steppedUpAt: visit.now }, caller }
      return { act: stepped, after: stepped, cookies: [cookies.session(token, visit)] }
    } catch (error) {
      if (error instanceof Refusal && (error.status === 403 || error.status === 429))
        throw new FieldFault('confirm', error.message)
      throw error
    }
  }

/** Builds the act that a passkey confirms: the form's address and all its fields, except those that prove the sender. */
export function buildConfirmedAct(here: string, fields: PostedFields): object {
  const { csrf: _csrf, confirm: _confirm, ...said } = fields
  return { address: here.split('?', 1)[0], said }
}
