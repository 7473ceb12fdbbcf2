import { lastNine } from '../platform/text/phone.ts'
import { type Attempt, ECHOES, type Echo, type StatusAnswer } from './rail.ts'

type ReportedSuccess = Extract<StatusAnswer<string>, { kind: 'succeeded' }>

/**
 * Finds what the operator reports about a success that differs from the request; an empty object where it agrees. A value that it
 * does not repeat differs only where `mustRepeat` names it (rails.md 1.4, rule 6; 3.14). A different phone is reported only as 'another'.
 */
export function findDifferences(
  attempt: Attempt,
  { amount, currency, phone, externalId }: ReportedSuccess,
  mustRepeat: readonly Echo[],
): Partial<Record<Echo, string | number | null>> {
  const party = phone === null ? null : lastNine(phone) === lastNine(attempt.phone) ? 'same' : 'another'
  const reported = { amount, currency, party, externalId }
  const ours = {
    amount: attempt.amount,
    currency: attempt.currency,
    party: 'same',
    externalId: attempt.publicId,
  }
  const differs: Partial<Record<Echo, string | number | null>> = {}
  for (const echo of ECHOES) {
    const lacks = reported[echo] === null
    if (lacks ? mustRepeat.includes(echo) : reported[echo] !== ours[echo]) differs[echo] = reported[echo]
  }
  return differs
}

export const isEmptyDifference = (differs: ReturnType<typeof findDifferences>): boolean =>
  Object.keys(differs).length === 0
