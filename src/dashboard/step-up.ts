import type { StepUp } from '../pages/answer-form.ts'
import { FieldFault } from '../pages/form-spec.ts'
import type { DashboardVisit } from './visit.ts'

/** Confirms an act in the middle of a session: with the second factor, or with the password where there is none (A73). */
export const stepUpAt: StepUp<DashboardVisit> = async (_visit, _confirm) => {
  throw new FieldFault('confirm', 'This cannot be confirmed yet')
}
