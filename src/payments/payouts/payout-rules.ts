import { judgeLimits } from '../../merchants/account/amount-limits.ts'
import { type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, Refusal } from '../../platform/refusal.ts'
import { echo } from '../../platform/text/text.ts'
import type { Config } from '../../program/settings/config.ts'
import type { Unavailable } from '../../rails/rail.ts'
import { judgeRailAmount } from '../../rails/rail-amounts.ts'
import type { Payout } from './payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'

/** The part of a payout that the rules check. Whole UGX. */
type PayoutRuleInput = { amount: number; currency: string; channel: string }
type PayoutRuleContext = { terms: MerchantTerms; mode: Mode; config: Config }

/**
 * Judges a payout by the domain rules up to the limits of its operator, in the order of contract.md G14a, one refusal a line.
 * The stops, the balance and the rail come after them.
 */
export function judgePayout({ amount, currency, channel }: PayoutRuleInput, under: PayoutRuleContext): void {
  if (!under.terms.active) throw merchantInactive(under.terms)
  judgeLimits(amount, { most: under.config.amountMax, own: under.terms.payoutLimit, noun: 'payout' })
  if (currency !== 'UGX') throw domainRefusal('unsupported_currency', 'demo only supports UGX', { field: 'currency' })
  judgeChannel(channel)
  judgeVerification(under)
  judgeRailAmount({ mode: under.mode, side: 'disburse', amount }, under.config)
}

export function judgeChannel(channel: string): void {
  if (channel !== DEFAULT_PAYOUT_CHANNEL)
    throw domainRefusal('unsupported_payout_channel', `no disbursement adapter for channel ${echo(channel)}`, {
      field: 'channel',
    })
}

export function judgeVerification({ terms, mode }: Pick<PayoutRuleContext, 'terms' | 'mode'>): void {
  if (mode === 'live' && terms.kycStatus !== 'verified')
    throw domainRefusal(
      'verification_required',
      'live payouts require a verified business - complete verification on your dashboard (test keys work immediately)',
    )
}

/** 400 with the figures. Pending money does not count. */
export const insufficientBalance = (
  have: number,
  { amount, fee, mode, subaccountId }: Pick<Payout, 'amount' | 'fee' | 'mode' | 'subaccountId'>,
) =>
  domainRefusal(
    'insufficient_balance',
    `insufficient available balance: have ${have}, need ${amount + fee} (amount ${amount} + fee ${fee})`,
    { hint: mode === 'test' && subaccountId === null ? moreTestMoney(amount + fee - have) : null },
  )

/**
 * The hint for newcomers, whose first test refund lacks the fee. The contract fixes the text of the error, so the advice goes into the
 * hint.
 */
const moreTestMoney = (missing: number) =>
  `test mode: add at least ${missing} with POST /v1/test/funds or on the dashboard (Developers, Sandbox), or let another test payment succeed first`

/** Makes the refusal while the rail is away for some time. */
export type RailAway = (retryAfterSeconds: number) => Refusal

/** 503: nothing remains, the key is free, and a request with the same key may come again (contract.md 3 j). */
const disbursementAway: RailAway = (retryAfterSeconds) =>
  new Refusal(503, 'rail_unavailable', 'disbursement temporarily unavailable - retry with the same Idempotency-Key', {
    retryAfterSeconds,
  })

// The reasons that a caller may read; no text of an operator is repeated (rails.md 3.8 rule 4).
const READABLE_REASONS = [
  'rail not configured',
  'credentials refused',
  'product not enabled',
  'address not allow-listed',
  'account barred',
  'operator configuration',
]

/** 400, stored under the key: the rail will not serve us until a person acts (contract.md 3 j). */
const disbursementRefused = (why: string) =>
  domainRefusal(
    'rail_unavailable',
    `disbursement rail unavailable: ${READABLE_REASONS.includes(why) ? why : 'operator configuration'}`,
  )

/** Makes the refusal when the rail is unavailable: `away` where it may serve again soon, by default the refusal of a single payout. */
export const unavailableRail = (
  { cure, why, retryAfterSeconds }: Unavailable,
  away: RailAway = disbursementAway,
): Refusal => (cure === 'wait' ? away(retryAfterSeconds) : disbursementRefused(why))
