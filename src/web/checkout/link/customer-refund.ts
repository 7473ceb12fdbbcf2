import type { Charge } from '../../../payments/charges/charge.ts'
import { findPayout } from '../../../payments/payouts/find-payouts.ts'
import type { PayoutStatus } from '../../../payments/payouts/payout.ts'
import { assert } from '../../../platform/assert.ts'
import type { App } from '../../../program/app.ts'
import type { CustomerRefund } from '../view.ts'

// The charge only says that it is refunded; whether the money has arrived is the state of its payout.
const STATE_BY_PAYOUT_STATUS: Record<PayoutStatus, CustomerRefund['state']> = {
  pending: 'on_its_way',
  authorized: 'on_its_way',
  succeeded: 'sent',
  failed: 'failed',
}

/** Finds where the money of a refunded charge is; null for any other charge. */
export async function findCustomerRefund(app: App, charge: Charge): Promise<CustomerRefund | null> {
  const { merchantId, refundId, status, giftCardAmount } = charge
  if (status !== 'refunded') return null
  // A charge that a gift card paid in full has no payout: the amount went back to the card in the commit of the refund.
  if (refundId === null) return { state: 'card', amount: giftCardAmount }
  const payout = await findPayout(app, merchantId, refundId)
  assert(payout, 'a refund that a charge names is stored with it')
  return { state: STATE_BY_PAYOUT_STATUS[payout.status], amount: payout.amount }
}
