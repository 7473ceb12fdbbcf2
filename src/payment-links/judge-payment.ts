import type { App } from '../app.ts'
import {
  type CheckoutCharge,
  type CheckoutInput,
  newCheckoutCharge,
  newCoveredCharge,
} from '../charges/checkout-charge.ts'
import type { Prompts } from '../charges/prompts.ts'
import { coverOf } from '../gift-cards/cover.ts'
import { type GiftCard, isUsable } from '../gift-cards/gift-card.ts'
import type { MerchantTerms } from '../merchants/merchant.ts'
import { type Channel, LIVE_CHANNELS } from '../rails/rail.ts'
import { railRefusal } from '../rails/rail-amounts.ts'
import type { FormCharge } from './link-attempts.ts'
import { mayBePaid } from './payable.ts'
import { isOver, type PaymentLink } from './payment-link.ts'

/** A payment sent from a hosted page. `card.applied` is the amount that the page showed for the card. Whole UGX. */
export type LinkPayment = {
  channel: Channel
  phone: string | null
  email: string | null
  card: { id: string; applied: number } | null
  /** The id of the charge of this form, however often it is sent; null for a random one. */
  chargeId: string | null
}

/** The fields of a paid link that never change. */
export type PaidLink = Pick<PaymentLink, 'merchantId' | 'id' | 'mode' | 'allowMultipleUses'> & { tag: string }

/** The result. Only `stored` has written anything. */
export type LinkPaid =
  | { kind: 'stored'; chargeId: string }
  /** The link is paid or being paid, or this form was sent before: that charge is shown. */
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

/** What the decision is based on: locked rows, and what was read after they were locked. */
export type LockedPayment = {
  link: PaymentLink
  terms: MerchantTerms
  held: { id: string; status: string } | null
  sent: FormCharge | null
  card: GiftCard | null
  prompts: Prompts | null
  at: Date
}
/** The answer, and the charge to store if there is one. */
export type Decided = { answer: LinkPaid; charge?: CheckoutCharge }

const refused = (why: Extract<LinkPaid, { kind: 'refused' }>['why']): Decided => ({
  answer: { kind: 'refused', why },
})

/** The rules, on locked rows only, one a line. */
export function judgePayment(
  app: App,
  known: LockedPayment,
  { paid, payment, ready }: { paid: PaidLink; payment: LinkPayment; ready: boolean },
): Decided {
  const { link, terms, held, sent, at } = known
  const live = link.mode === 'live'
  if (sent !== null && !sent.voided && sent.paymentLinkId === link.id)
    return { answer: { kind: 'held', chargeId: sent.id } }
  // A failed attempt is final: the form sent again starts a new one, as after a retry.
  if (held !== null && held.status !== 'failed') return { answer: { kind: 'held', chargeId: held.id } }
  if (isOver(link, at)) return refused('expired')
  if (!mayBePaid(link, terms, app.config)) return refused('inactive')
  const cover = coverFor(known, payment, app.config.railCollectMin)
  if (cover === null) return refused('voucher_changed')
  const input = inputOf(known, { paid, payment, applied: cover.applied })
  if (cover.due === 0) return stored(newCoveredCharge(input, at))
  if (live && !LIVE_CHANNELS.includes(payment.channel)) return refused('method')
  if (payment.phone === null) return refused('phone')
  const travelling = { mode: link.mode, side: 'collect', amount: cover.due } as const
  const tooMuch = railRefusal(travelling, app.config)
  if (tooMuch !== null) return refused(tooMuch.code === 'amount_too_small' ? 'amount_under' : 'amount_over')
  if (tooManyPrompts(app, known.prompts)) return refused('prompts')
  if (!ready) return refused('rail')
  return stored(newCheckoutCharge(app, input, at))
}

const stored = (charge: CheckoutCharge): Decided => ({
  answer: { kind: 'stored', chargeId: charge.id },
  charge,
})

/**
 * What the card pays, or null when that differs from what the customer was shown: the customer pays exactly the sum of the
 * page.
 */
function coverFor({ link, card, at }: LockedPayment, payment: LinkPayment, leastDue: number) {
  if (payment.card === null) return { applied: 0, due: link.amount }
  if (card === null || link.mode !== 'live' || !isUsable(card, at)) return null
  const cover = coverOf(link.amount, card.balance, leastDue)
  return cover.applied === payment.card.applied && cover.applied > 0 ? cover : null
}

function tooManyPrompts(app: App, prompts: Prompts | null): boolean {
  return prompts !== null && (prompts.open > 0 || prompts.unpaid >= app.config.promptsPerPhone)
}

function inputOf(
  { link, sent }: LockedPayment,
  { paid, payment, applied }: { paid: PaidLink; payment: LinkPayment; applied: number },
): CheckoutInput {
  return {
    merchantId: link.merchantId,
    tag: paid.tag,
    mode: link.mode,
    linkId: link.id,
    paysOnce: !link.allowMultipleUses,
    // A form sent again after its charge was taken back makes another charge.
    chargeId: sent === null ? payment.chargeId : null,
    amount: link.amount,
    giftCardAmount: applied,
    channel: payment.channel,
    phone: payment.phone,
    email: payment.email,
    reference: link.reference,
  }
}
