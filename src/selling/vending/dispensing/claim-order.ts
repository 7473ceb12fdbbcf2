import type { ChargeStatus } from '../../../payments/charges/charge.ts'
import { lockCharges } from '../../../payments/charges/lock-charges.ts'
import { assert } from '../../../platform/assert.ts'
import { defineLane } from '../../../platform/batches/lane.ts'
import { newWorkLanes } from '../../../platform/batches/work-lanes.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { lockLink } from '../../payment-links/hold-link.ts'
import { lockOrder, orderById } from '../orders/find-orders.ts'
import type { VendingOrder } from '../orders/order.ts'
import type { DispenseClaim } from './claim.ts'
import { addDispenseClaim } from './move-claim.ts'

/** The result of claiming an order. `claimed`: the claim is stored, nothing has been sent. All others have written nothing. */
export type ClaimResult =
  | { kind: 'claimed'; claim: DispenseClaim; order: VendingOrder }
  | { kind: 'off' }
  | { kind: 'dispensed'; order: VendingOrder }
  | { kind: 'in_progress' }
  | { kind: 'unpaid'; status: ChargeStatus | 'unpaid' }
  /** The charge has another claim. */
  | { kind: 'spoken_for' }

// Claims of one charge wait for each other's locks. This limit leaves connections for answers and callbacks.
export const CLAIMS_AT_ONCE = 3
/** Lets CLAIMS_AT_ONCE charges be claimed for a dispense at a time. */
export const claimTurns = defineLane('claim charges', () => newWorkLanes(CLAIMS_AT_ONCE))

const VENDING_OF_MERCHANT = statement<{ vendingEnabled: boolean; tag: string }>(
  'vending of merchant',
  'select vending_enabled as "vendingEnabled", tag from merchants where id = $1',
)
const START_DISPENSING = statement(
  'start dispensing order',
  // A new try clears the report on the earlier command, and the refund that was due for it.
  `update vending_orders set vending_status = 'dispensing', vending_error = null, attempts = $3, watched = false,
     confirmed = false, dispense_result = null, units_dispensed = null, refund_due_at = null, refund_until = null,
     refund_wanted = null
   where merchant_id = $1 and id = $2`,
)

/**
 * Claims the dispense of an order (ledger.md 5: link, order, charge, claim): one commit, before anything is sent. A charge
 * has at most one open claim, however many ask at once; its row decides between a refund and a claim.
 */
export function claimOrder(app: App, { merchantId, id }: { merchantId: number; id: string }): Promise<ClaimResult> {
  return claimTurns(app).run(merchantId, () => claimPaidOrder(app, { merchantId, id }))
}

function claimPaidOrder(app: App, { merchantId, id }: { merchantId: number; id: string }): Promise<ClaimResult> {
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: ClaimResult; last?: readonly Call[] }> => {
    const [, , [before]] = await tx.send(lockLink(merchantId, id), lockOrder(merchantId, id), orderById(merchantId, id))
    assert(before, 'an order is never deleted')
    if (before.charge !== null) await tx.send(lockCharges([{ merchantId, id: before.charge.id }]))
    // Read once more, because only now the charge is locked.
    const [[merchant], [order]] = await tx.send(call(VENDING_OF_MERCHANT, merchantId), orderById(merchantId, id))
    assert(merchant && order, 'neither was deleted meanwhile')
    const refused = findClaimRefusal(order, merchant.vendingEnabled)
    if (refused !== null) return { value: refused }
    const claim = newOrderClaim(order, merchant.tag)
    const [[added]] = await tx.send(addDispenseClaim(claim, at))
    if (!added) return { value: { kind: 'spoken_for' } }
    const started = call(START_DISPENSING, merchantId, id, claim.attempt)
    return { value: { kind: 'claimed', claim, order }, last: [started] }
  })
}

/** Finds why an order cannot be claimed, in the order of contract.md G31. */
function findClaimRefusal(order: VendingOrder, enabled: boolean): Exclude<ClaimResult, { kind: 'claimed' }> | null {
  if (!enabled) return { kind: 'off' }
  if (order.vendingStatus === 'dispensed') return { kind: 'dispensed', order }
  if (order.vendingStatus === 'dispensing') return { kind: 'in_progress' }
  const status = order.charge?.status ?? 'unpaid'
  return status === 'succeeded' ? null : { kind: 'unpaid', status }
}

function newOrderClaim(order: VendingOrder, tag: string): DispenseClaim {
  assert(order.charge, 'what is claimed was paid')
  return {
    merchantId: order.merchantId,
    id: newId('dclm_', tag),
    mode: order.mode,
    chargeId: order.charge.id,
    kind: 'order',
    orderId: order.id,
    machine: order.machine,
    goods: order.goods,
    payAccount: order.payAccount,
    attempt: order.attempts + 1,
  }
}
