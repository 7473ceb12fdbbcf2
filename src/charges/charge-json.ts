import { isoMs } from '../platform/times.ts'
import { availableOn, type ChargeFacts, chargeEventData, netOf, presentCharge } from './charge.ts'

// The two texts that every payment writes, without the objects between. A test holds that they are what JSON.stringify makes of the views, for
// any charge. Only what comes from outside may need escaping: the reference of the merchant and the number of the operator.

/** Split ones are few, and a charge with shares is never shown without them: the views hold that. */
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
