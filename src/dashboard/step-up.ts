import type { StepUp } from '../pages/answer-form.ts'
import { FieldFault } from '../pages/form-spec.ts'
import { stepUp } from '../people/step-up.ts'
import { Refusal } from '../platform/refusal.ts'
import { sessionCookie, visitorOf } from './session-cookies.ts'
import type { DashboardVisit } from './visit.ts'

/** Confirms an act in the middle of a session: with the second factor, or with the password where there is none (A73). */
export const stepUpAt: StepUp<DashboardVisit> = async (visit, confirm) => {
  try {
    const { token } = await stepUp(visit.gateway, visit.caller, { confirm, visitor: visitorOf(visit) })
    const signedIn = { ...visit.signedIn, steppedUpAt: visit.now }
    const caller = { ...visit.caller, factorAgeMs: 0 }
    return { visit: { ...visit, signedIn, caller }, cookies: [sessionCookie(token, visit)] }
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) throw new FieldFault('confirm', error.message)
    throw error
  }
}
