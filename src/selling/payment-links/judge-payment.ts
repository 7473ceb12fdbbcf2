import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import {
  type CheckoutCharge,
  type CheckoutInput,
  newCheckoutCharge,
  newCoveredCharge,
} from '../../payments/charges/checkout-charge.ts'
import type { PromptCounts } from '../../payments/charges/prompts.ts'
import { splitCover } from '../../payments/gift-cards/cover.ts'
import { type GiftCard, isUsable } from '../../payments/gift-cards/gift-card.ts'
import type { App } from '../../program/app.ts'
import { isLiveChannel } from '../../rails/live-rails.ts'
import type { Channel } from '../../rails/rail.ts'
import { railRefusal } from '../../rails/rail-amounts.ts'
import type { FormCharge } from './link-attempts.ts'
import { mayBePaid } from './payable.ts'
import { isLinkExpired, type PaymentLink } from './payment-link.ts'

/** A payment sent from a hosted page. `card.applied` is the amount that the page showed for the card. Whole UGX. */
export type LinkPayment = {
  channel: Channel
  phone: string | null
  email: string | null
  card: { id: string; applied: number } | null
  /** The id of this form's charge, the same each time the form is sent; null for a random one. */
  chargeId: string | null
}

/** The fields of a link that never change. */
export type PayableLink = Pick<PaymentLink, 'merchantId' | 'id' | 'mode' | 'allowMultipleUses'> & {
  tag: string
}

/** What came of a payment. Only `stored` has written anything. */
export type LinkPaymentResult =
  | { kind: 'stored'; chargeId: string }
  /** The link is paid or being paid, or this form was sent before: the page shows that charge. */
  | { kind: 'held'; chargeId: string }
  | {
      kind: 'refused'
      why:
        | 'inactive'
        | 'expired'
        | 'method'
        | 'phone'
        | 'voucher_changed'
        | 'amount_under'
        | 'amount_over'
        | 'prompts'
        | 'rail'
    }

/** The facts for the decision: locked rows, and rows that were read after these were locked. */
export type LockedPayment = {
  link: PaymentLink
  terms: MerchantTerms
  /** The attempt that holds a one-shot link. */
  attempt: { id: string; status: string } | null
  /** The charge of this form, if it was sent before. */
  formCharge: FormCharge | null
  card: GiftCard | null
  prompts: PromptCounts | null
  at: Date
}
/** The answer, and the charge to store if there is one. */
export type PaymentDecision = { answer: LinkPaymentResult; charge?: CheckoutCharge }

const decideRefused = (why: Extract<LinkPaymentResult, { kind: 'refused' }>['why']): PaymentDecision => ({
  answer: { kind: 'refused', why },
})

/** Decides on a payment from locked rows only, one rule a line. */
export function judgePayment(
  app: App,
  locked: LockedPayment,
  { payableLink, payment, ready }: { payableLink: PayableLink; payment: LinkPayment; ready: boolean },
): PaymentDecision {
  const { link, terms, attempt, formCharge, at } = locked
  const live = link.mode === 'live'
  if (formCharge !== null && !formCharge.voided && formCharge.paymentLinkId === link.id)
    return { answer: { kind: 'held', chargeId: formCharge.id } }
  // A failed attempt is final: the form sent again starts a new one, as after a retry.
  if (attempt !== null && attempt.status !== 'failed') return { answer: { kind: 'held', chargeId: attempt.id } }
  if (isLinkExpired(link, at)) return decideRefused('expired')
  if (!mayBePaid(link, terms, app.config)) return decideRefused('inactive')
  const cover = findShownCover(locked, payment, app.config.railCollectMin)
  if (cover === null) return decideRefused('voucher_changed')
  const input = newCheckoutInput(locked, { payableLink, payment, applied: cover.applied })
  if (cover.due === 0) return decideStored(newCoveredCharge(input, at))
  if (live && !isLiveChannel(app, payment.channel)) return decideRefused('method')
  if (payment.phone === null) return decideRefused('phone')
  const railAmount = { mode: link.mode, side: 'collect', amount: cover.due } as const
  const outOfRange = railRefusal(railAmount, app.config)
  if (outOfRange !== null) return decideRefused(outOfRange.code === 'amount_too_small' ? 'amount_under' : 'amount_over')
  if (hasTooManyPrompts(app, locked.prompts)) return decideRefused('prompts')
  if (!ready) return decideRefused('rail')
  return decideStored(newCheckoutCharge(app, input, at))
}

const decideStored = (charge: CheckoutCharge): PaymentDecision => ({
  answer: { kind: 'stored', chargeId: charge.id },
  charge,
})

/**
 * Returns what the card pays, or null if that differs from what the page showed: the customer pays exactly the sum shown.
 */
function findShownCover({ link, card, at }: LockedPayment, payment: LinkPayment, leastDue: number) {
  if (payment.card === null) return { applied: 0, due: link.amount }
  if (card === null || link.mode !== 'live' || !isUsable(card, at)) return null
  const cover = splitCover(link.amount, card.balance, leastDue)
  return cover.applied === payment.card.applied && cover.applied > 0 ? cover : null
}

function hasTooManyPrompts(app: App, prompts: PromptCounts | null): boolean {
  return prompts !== null && (prompts.open > 0 || prompts.unpaid >= app.config.promptsPerPhone)
}

function newCheckoutInput(
  { link, formCharge }: LockedPayment,
  { payableLink, payment, applied }: { payableLink: PayableLink; payment: LinkPayment; applied: number },
): CheckoutInput {
  return {
    merchantId: link.merchantId,
    tag: payableLink.tag,
    mode: link.mode,
    linkId: link.id,
    paysOnce: !link.allowMultipleUses,
    // A form that is sent again after its charge was taken back needs another id.
    chargeId: formCharge === null ? payment.chargeId : null,
    amount: link.amount,
    giftCardAmount: applied,
    channel: payment.channel,
    phone: payment.phone,
    email: payment.email,
    reference: link.reference,
    metadata: link.metadata,
  }
}
