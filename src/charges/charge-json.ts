import { isoMs } from '../platform/times.ts'
import { availableOn, type ChargeFacts, chargeEventData, netOf, presentCharge } from './charge.ts'

// Every payment writes these two texts, so they are written without building the views first. A test checks for any charge that they equal
// JSON.stringify of the views. Only values from outside may need escaping: the merchant's reference and the operator's number.

/** Split charges are few and go through the views, which assert that a charge with shares is never shown without them. */
const isPlain = ({ split, shares }: ChargeFacts) => !split && (shares ?? null) === null
const own = (value: string | null) => (value === null ? 'null' : `"${value}"`)
const foreign = (value: string | null) => (value === null ? 'null' : JSON.stringify(value))
const time = (value: Date | null) => (value === null ? 'null' : `"${isoMs(value)}"`)

/** JSON.stringify of `presentCharge`. */
export function chargeJson(charge: ChargeFacts): string {
  if (!isPlain(charge)) return JSON.stringify(presentCharge(charge))
  return (
    `{"id":"${charge.id}","mode":"${charge.mode}","status":"${charge.status}","amount":${charge.amount},"fee":${charge.fee},` +
    `"net":${netOf(charge)},"gift_card_amount":${charge.giftCardAmount},"currency":"UGX","channel":"${charge.channel}",` +
    `"reference":${foreign(charge.reference)},"rail_reference":${own(charge.railReference)},` +
    `"rail_transaction_id":${foreign(charge.railTransactionId)},"failure_reason":${own(charge.failureReason)},` +
    `"payment_link_id":${own(charge.paymentLinkId)},"refund_id":${own(charge.refundId)},"created_at":${time(charge.createdAt)},` +
    `"completed_at":${time(charge.completedAt)},"refunded_at":${time(charge.refundedAt)},"settled":${charge.settledAt !== null},` +
    `"available_on":${time(availableOn(charge))}}`
  )
}

/** JSON.stringify of `chargeEventData`. */
export function chargeEventJson(charge: ChargeFacts): string {
  if (!isPlain(charge)) return JSON.stringify(chargeEventData(charge))
  const reference = foreign(charge.reference)
  return (
    `{"amount":${charge.amount},"available_on":${time(availableOn(charge))},"channel":"${charge.channel}",` +
    `"completed_at":${time(charge.completedAt)},"created_at":${time(charge.createdAt)},"currency":"UGX",` +
    `"failure_reason":${own(charge.failureReason)},"fee":${charge.fee},"gift_card_amount":${charge.giftCardAmount},` +
    `"id":"${charge.id}","merchant_reference":${reference},"mode":"${charge.mode}","net":${netOf(charge)},` +
    `"payment_link_id":${own(charge.paymentLinkId)},"rail_reference":${own(charge.railReference)},"reference":${reference},` +
    `"settled":${charge.settledAt !== null},"status":"${charge.status}"}`
  )
}
