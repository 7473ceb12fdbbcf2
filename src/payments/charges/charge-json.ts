import { formatIsoTime } from '../../platform/time/times.ts'
import { availableOn, type Charge, computeNet, presentCharge } from './charge.ts'
import { chargeEventData } from './charge-event.ts'

// Every payment writes these two texts, so they are written without building the views first. A test checks for any charge that they equal
// JSON.stringify of the views. Only values from outside may need escaping: the merchant's reference, the customer and the operator's number.

/**
 * Charges with a split or metadata are few and go through the views, which assert that a charge with shares is never shown without them.
 */
const isPlain = ({ split, shares, metadata }: Charge) =>
  !split && (shares ?? null) === null && (metadata ?? null) === null
const quote = (value: string | null) => (value === null ? 'null' : `"${value}"`)
const quoteEscaped = (value: string | null) => (value === null ? 'null' : JSON.stringify(value))
const quoteTime = (value: Date | null) => (value === null ? 'null' : `"${formatIsoTime(value)}"`)

/** JSON.stringify of `presentCharge`. */
export function chargeJson(charge: Charge): string {
  if (!isPlain(charge)) return JSON.stringify(presentCharge(charge))
  return (
    `{"id":"${charge.id}","mode":"${charge.mode}","status":"${charge.status}","amount":${charge.amount},"fee":${charge.fee},` +
    `"net":${computeNet(charge)},"gift_card_amount":${charge.giftCardAmount},"currency":"UGX","channel":"${charge.channel}",` +
    `"reference":${quoteEscaped(charge.reference)},"rail_reference":${quote(charge.railReference)},` +
    `"rail_transaction_id":${quoteEscaped(charge.railTransactionId)},"failure_reason":${quote(charge.failureReason)},` +
    `"payment_link_id":${quote(charge.paymentLinkId)},"refund_id":${quote(charge.refundId)},"created_at":${quoteTime(charge.createdAt)},` +
    `"completed_at":${quoteTime(charge.completedAt)},"refunded_at":${quoteTime(charge.refundedAt)},"settled":${charge.settledAt !== null},` +
    `"available_on":${quoteTime(availableOn(charge))},"customer":{"phone":${quote(charge.phone)},` +
    `"name":${quoteEscaped(charge.customerName)},"email":${quoteEscaped(charge.email)}},"metadata":{}}`
  )
}

/** JSON.stringify of `chargeEventData`. */
export function chargeEventJson(charge: Charge): string {
  if (!isPlain(charge)) return JSON.stringify(chargeEventData(charge))
  const reference = quoteEscaped(charge.reference)
  return (
    `{"amount":${charge.amount},"available_on":${quoteTime(availableOn(charge))},"channel":"${charge.channel}",` +
    `"completed_at":${quoteTime(charge.completedAt)},"created_at":${quoteTime(charge.createdAt)},"currency":"UGX",` +
    `"customer":{"email":${quoteEscaped(charge.email)},"name":${quoteEscaped(charge.customerName)},"phone":${quote(charge.phone)}},` +
    `"failure_reason":${quote(charge.failureReason)},"fee":${charge.fee},"gift_card_amount":${charge.giftCardAmount},` +
    `"id":"${charge.id}","merchant_reference":${reference},"metadata":{},"mode":"${charge.mode}","net":${computeNet(charge)},` +
    `"payment_link_id":${quote(charge.paymentLinkId)},"rail_reference":${quote(charge.railReference)},"reference":${reference},` +
    `"settled":${charge.settledAt !== null},"status":"${charge.status}"}`
  )
}
