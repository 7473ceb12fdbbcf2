import type { App } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { findPayout } from '../payouts/find-payouts.ts'
import type { PayoutStatus } from '../payouts/payout.ts'
import { assert } from '../platform/assert.ts'
import type { Refund } from './view.ts'

// Refunded is what the merchant has decided; whether the money has arrived is known by the payout that brings it.
const STATE_OF: Record<PayoutStatus, Refund['state']> = {
  pending: 'on_its_way',
  authorized: 'on_its_way',
  succeeded: 'sent',
  failed: 'failed',
}

/** Where the money of a refunded charge is, or null of a charge that is not refunded. */
export async function findRefund(app: App, charge: Charge): Promise<Refund | null> {
  const { merchantId, refundId, status, giftCardAmount } = charge
  if (status !== 'refunded') return null
  // What a gift card has paid wholly goes back to the card in the commit of the refund, and nothing is sent.
  if (refundId === null) return { state: 'card', amount: giftCardAmount }
  const payout = await findPayout(app, merchantId, refundId)
  assert(payout, 'a refund that a charge names is stored with it')
  return { state: STATE_OF[payout.status], amount: payout.amount }
}
