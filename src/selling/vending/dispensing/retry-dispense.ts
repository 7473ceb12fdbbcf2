import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { requireActive } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { findOrder, getOrder } from '../orders/find-orders.ts'
import type { VendingOrder } from '../orders/order.ts'
import { chargeNotSucceeded, vendingOff } from '../orders/order-rules.ts'
import { type ClaimResult, claimOrder } from './claim-order.ts'
import { sendCommand } from './send-command.ts'

/** `ok`: the machine was commanded, or has dispensed before. Otherwise `vendingError` of the order says why. */
export type RetryResult = { ok: boolean; order: VendingOrder }

/**
 * Dispenses a paid order whose dispense has failed, never twice (spec 4.6; contract.md G31): claims it first, then sends one command.
 * Another refusal of the supplier is a result, not an error. Throws Refusal with nothing written.
 */
export async function retryDispense(app: App, caller: Caller, id: string): Promise<RetryResult> {
  allow(caller, 'order.dispense')
  const { merchantId } = caller
  await requireActive(app, merchantId)
  await getOrder(app, caller, id)
  const result = await claimOrder(app, { merchantId, id })
  if (result.kind === 'dispensed') return { ok: true, order: result.order }
  if (result.kind !== 'claimed') throw newRetryRefusal(result)
  await sendCommand(app, result.claim)
  const order = await findOrder(app, { merchantId, id })
  assert(order, 'an order is never deleted')
  return { ok: order.vendingStatus !== 'failed', order }
}

function newRetryRefusal(result: Exclude<ClaimResult, { kind: 'claimed' | 'dispensed' }>): Refusal {
  switch (result.kind) {
    case 'off':
      return vendingOff()
    case 'unpaid':
      return chargeNotSucceeded(result.status)
    // An open claim on the charge of this order is an attempt without a known outcome.
    case 'in_progress':
    case 'spoken_for':
      return new Refusal(409, 'conflict', 'a dispense attempt is already in progress - wait for it to finish')
  }
}
