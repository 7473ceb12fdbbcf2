import { lastNine } from '../platform/phone.ts'
import { type Attempt, ECHOES, type Echo, type Status } from './rail.ts'

type Success = Extract<Status<string>, { kind: 'succeeded' }>

/**
 * What the operator says of a success that is not what was asked for; nothing where it agrees. What it does not repeat differs
 * only where it must (rails.md 1.4, rule 6; 3.14). Of another party only that it is another is told.
 */
export function differing(
  asked: Attempt,
  { amount, currency, phone, externalId }: Success,
  mustRepeat: readonly Echo[],
): Partial<Record<Echo, string | number | null>> {
  const party = phone === null ? null : lastNine(phone) === lastNine(asked.phone) ? 'same' : 'another'
  const heard = { amount, currency, party, externalId }
  const ours = { amount: asked.amount, currency: asked.currency, party: 'same', externalId: asked.publicId }
  const differs: Partial<Record<Echo, string | number | null>> = {}
  for (const echo of ECHOES) {
    const lacks = heard[echo] === null
    if (lacks ? mustRepeat.includes(echo) : heard[echo] !== ours[echo]) differs[echo] = heard[echo]
  }
  return differs
}

export const isSame = (differs: ReturnType<typeof differing>): boolean => Object.keys(differs).length === 0
