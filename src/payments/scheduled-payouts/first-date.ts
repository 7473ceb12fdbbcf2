import { clockOffsetMs, type MerchantTerms } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import type { ScheduleTerms } from './schedule-request.ts'

/**
 * Refuses a first date that has passed, if a person wrote it. The API treats such a date as now (contract.md G15a); a person has mistyped
 * it, or has waited too long for an approval, and would pay at once. Throws Refusal.
 */
export function judgeFirstDate(
  { startAt }: Pick<ScheduleTerms, 'startAt'>,
  { terms, mode, at }: { terms: MerchantTerms; mode: Mode; at: Date },
): void {
  if (startAt !== null && startAt <= addMs(at, clockOffsetMs(terms, mode)))
    throw domainRefusal(
      'start_has_passed',
      `start_at has passed (${kampalaTime(startAt)}): everybody would be paid at once. Choose a time that is to come`,
      { field: 'start_at' },
    )
}
