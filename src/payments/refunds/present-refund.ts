import { presentMetadata } from '../../api/http/bodies/metadata.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { type Happening, inKeyOrder } from '../../merchants/webhooks/events.ts'
import { CHARGE_MOVES, type Charge } from '../charges/charge.ts'
import { chargeEventData } from '../charges/charge-event.ts'
import type { NewPayout } from '../payouts/new-payout.ts'

/** A refunded charge and its payout; null when a gift card had paid all of it. */
export type RefundResult = { charge: Charge; payout: NewPayout | null }

/** Formats a refund for the API; `refund` is null when a gift card had paid all. */
export const presentRefund = ({ charge, payout }: RefundResult) => ({
  charge_id: charge.id,
  status: 'refunded',
  gift_card_restored: charge.giftCardAmount,
  refund: payout && {
    id: payout.id,
    amount: payout.amount,
    fee: payout.fee,
    currency: 'UGX',
    recipient_phone: payout.recipientPhone,
    status: payout.status,
    metadata: presentMetadata(payout.metadata),
  },
})

/** Makes the event `charge.refunded` (contract.md section 5), keys in the order of canonical JSON. */
export function buildRefundedEvent({ charge, payout }: RefundResult, terms: MerchantTerms): Happening {
  const data = {
    ...chargeEventData(charge),
    gift_card_restored: charge.giftCardAmount,
    refund_amount: payout?.amount ?? 0,
    refund_id: payout?.id ?? null,
    refunded_at: charge.refundedAt?.toISOString() ?? null,
  }
  return {
    merchantId: charge.merchantId,
    tag: terms.tag,
    mode: charge.mode,
    type: CHARGE_MOVES.succeeded.refunded,
    subject: charge.id,
    data: inKeyOrder(data),
    hasWebhookUrl: terms.webhookUrl !== null,
  }
}
