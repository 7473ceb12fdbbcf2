import type { Caller } from '../../../api/access/actor.ts'
import type { RefundResult } from '../../../payments/refunds/present-refund.ts'
import { refundCharge } from '../../../payments/refunds/refund-charge.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { getOrder } from '../orders/find-orders.ts'

// Read after the charge was locked. Every claim waits for that lock too, so product and price are never both given away.
const OPEN_CLAIM = statement(
  'standing dispense claim',
  'select 1 from dispense_claims where merchant_id = $1 and charge_id = $2 and released_at is null',
)

/**
 * Refunds the payment of an order whose machine did not deliver, as `refundCharge` does. Throws 404 for an order that is not the caller's
 * or has no payment, and 409 while a machine may still deliver it or has delivered it.
 */
export async function refundOrder(app: App, caller: Caller, id: string): Promise<RefundResult> {
  const { charge } = await getOrder(app, caller, id)
  return refundUndelivered(app, caller, charge?.id ?? '')
}

/** Refunds a charge unless a claim on it stands: what it has paid for is being delivered, or was delivered. Throws Refusal. */
export const refundUndelivered = (app: App, caller: Caller, chargeId: string): Promise<RefundResult> =>
  refundCharge(app, caller, { chargeId, unless: call(OPEN_CLAIM, caller.merchantId, chargeId) })
