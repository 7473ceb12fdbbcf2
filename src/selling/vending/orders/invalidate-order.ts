import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { requireActive } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import type { Call } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { invalidateLink } from '../../payment-links/change-link.ts'
import { lockLink } from '../../payment-links/hold-link.ts'
import { getOrder, orderById } from './find-orders.ts'
import { paymentStatus, type VendingOrder } from './order.ts'

const paymentAttached = () =>
  new Refusal(409, 'conflict', 'a payment is already attached to this order', { stored: true })

/**
 * Invalidates an order at once, so that a wrong QR code cannot be paid (contract.md G32). A payment locks the same link, so an
 * order is never both invalidated and being paid. A failed attempt does not count as a payment; a repeat changes nothing.
 */
export async function invalidateOrder(app: App, caller: Caller, id: string): Promise<VendingOrder> {
  allow(caller, 'order.invalidate')
  const { merchantId } = caller
  await requireActive(app, merchantId)
  await getOrder(app, caller, id)
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: VendingOrder; last?: readonly Call[] }> => {
    const [, [order]] = await tx.send(lockLink(merchantId, id), orderById(merchantId, id))
    assert(order, 'an order is never deleted')
    if (order.invalidatedAt !== null) return { value: order }
    const status = paymentStatus(order)
    if (status !== 'unpaid' && status !== 'failed') throw paymentAttached()
    return { value: { ...order, invalidatedAt: at }, last: [invalidateLink(order, at)] }
  })
}
