import { CURRENCY, INACTIVE, NOT_POSITIVE, overLimit, TOO_MUCH } from './known-refusals.ts'
import { type Fault, field } from './refusal-order-of.ts'
import { invalid, type Refused } from './refused.ts'

const faulty = (name: string, [of, value]: [string, unknown], expected: Refused): Fault => ({
  ...{ name, kind: of, expected, spoil: field(of, value) },
})
/** Faults in the form of every amount that is to be moved, and behind the form the rules that come first. */
export const TEXT_AMOUNT = faulty('a text as amount', ['amount', '5000'], invalid('amount must be an integer'))
export const NO_CURRENCY = faulty('a number as currency', ['currency', 800], invalid('currency must be a string'))
export const NO_REFERENCE = faulty('a number as reference', ['reference', 1], invalid('reference must be a string'))
/** The account may move 100 at a time. */
export const moneyRules = (per: 'charge' | 'payout'): Fault<'inactive' | 'limited'>[] => [
  { name: 'an inactive merchant', kind: 'inactive', expected: INACTIVE, state: 'inactive' },
  faulty('an amount of 0', ['amount', 0], NOT_POSITIVE),
  faulty('an amount above the ceiling', ['amount', 1_000_000_001], TOO_MUCH),
  {
    ...{ name: 'an amount above the limit of the account', kind: 'limit' },
    ...{ expected: overLimit(per, 100), state: 'limited' },
  },
  faulty('another currency', ['currency', 'USD'], CURRENCY),
]
