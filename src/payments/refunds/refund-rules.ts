import type { PersonCaller } from '../../api/access/actor.ts'
import { type MerchantTerms, merchantInactive, termsWhileClosing } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import { judgeRailAmount, type RailLimits } from '../../rails/rail-amounts.ts'
import type { Charge } from '../charges/charge.ts'
import { judgeChannel, judgeVerification } from '../payouts/payout-rules.ts'

const refuse = (code: string, message = code) => domainRefusal(code, message)

/** How the money of a charge goes back. `card`: to the gift card, which has paid all of it. */
export type RefundWay = { kind: 'payout'; amount: number; phone: string } | { kind: 'card' }
type RefundFacts = {
  terms: MerchantTerms
  mode: Mode
  /** The amount that the caller expects, if it named one. */
  amount?: number | undefined
  cardTaken: boolean
  limits: RailLimits
}

/**
 * Checks a refund by the rules of contract.md G11d, in their order, one refusal a line; the last is the operator's limit for
 * one payout. Returns the amount to pay back: everything that the customer paid by mobile money, in whole UGX. The rules of
 * payouts do not apply to a charge that a gift card has paid in full, because no money moves.
 */
export function judgeRefund(
  charge: Charge | undefined,
  { terms, mode, amount: expected, cardTaken, limits }: RefundFacts,
): { charge: Charge; way: RefundWay } {
  if (!termsWhileClosing(terms).active) throw merchantInactive(terms)
  if (!charge) throw notFound('charge')
  if (charge.mode !== mode) throw modeMismatch(charge.mode)
  if (charge.status === 'refunded') throw alreadyRefunded(charge)
  if (charge.status !== 'succeeded') throw refuse(`cannot_refund_${charge.status}_transaction`)
  if (charge.shares !== null) throw refuse('split_charge_refunds_not_yet_supported')
  if (expected !== undefined && expected !== charge.amount) throw onlyInFull(charge.amount)
  const amount = charge.amount - charge.giftCardAmount
  if (amount === 0 && cardTaken) return { charge, way: { kind: 'card' } }
  if (amount === 0) throw refuse('refund_amount_is_zero')
  if (charge.phone === null) throw refuse('no_customer_phone_on_record_to_refund_to')
  judgeChannel(charge.channel)
  judgeVerification({ terms, mode })
  judgeRailAmount({ mode, side: 'disburse', amount }, limits)
  return { charge, way: { kind: 'payout', amount, phone: charge.phone } }
}

const modeMismatch = (mode: Mode) =>
  refuse('mode_mismatch', `mode_mismatch: this is a ${mode} charge - use your sk_${mode}_ key to refund it`)

/** Names the payout, for a caller that has lost the answer to its first request. */
const alreadyRefunded = ({ refundId }: Charge) =>
  domainRefusal('already_refunded', 'already_refunded', {
    hint: refundId && `the money goes back by the payout ${refundId}`,
  })

const onlyInFull = (amount: number) =>
  domainRefusal('only_full_refunds', `only full refunds: amount must be ${amount}`, { field: 'amount' })

/** 409: the charge is being used for a dispense (contract.md G41b: product and price are never both given away). */
export const chargeIsSpent = () =>
  new Refusal(409, 'conflict', 'cannot refund: what this charge has paid for is being delivered')

/** Refuses a refund that moves money: the merchant decides that with `POST /v1/charges/{id}/refund`. */
export const paidByPhone = () =>
  refuse('bad_request', 'this charge was not paid by a gift card alone: the merchant refunds it')

/** 503: nothing was written, the charge is unchanged (G11h). */
export const refundRailAway = (retryAfterSeconds: number) =>
  new Refusal(503, 'rail_unavailable', 'disbursement temporarily unavailable - retry shortly', {
    retryAfterSeconds,
  })

/** A cashier refunds up to the limit that the owner has set. Throws 403. */
export function judgeCashier({ refundLimit }: Pick<PersonCaller, 'refundLimit'>, amount: number): void {
  if (refundLimit === null || amount <= refundLimit) return
  throw new Refusal(
    403,
    'refund_limit',
    refundLimit === 0
      ? 'the owner has not allowed cashiers to refund: ask an owner'
      : `cashiers may refund up to ${refundLimit} UGX here: ask an owner`,
  )
}
