import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import { domainRefusal, notFound } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { findOrder } from '../orders/find-orders.ts'
import type { VendingOrder } from '../orders/order.ts'
import type { DispenseOutcome, DispenseVerdict } from './dispense-move.ts'
import { moveDispense } from './move-dispense.ts'

/** A person's decision about an order whose machine never reported (contract.md G41c). */
export type OrderDecision = 'delivered' | 'not-delivered'

const OUTCOMES: Record<OrderDecision, DispenseOutcome> = {
  delivered: { status: 'dispensed', confirmed: true, result: null, note: null },
  'not-delivered': {
    status: 'failed',
    confirmed: true,
    result: null,
    error: 'not delivered, as a person has found',
  },
}

/**
 * Decides an order that is `dispensing`, or `dispensed` without confirmation. A repeat of the decision changes nothing. Throws
 * 404, or a refusal if there is nothing to decide.
 */
export async function decideOrder(
  app: App,
  actor: Actor,
  { merchantId, id, decision }: { merchantId: number; id: string; decision: OrderDecision },
): Promise<VendingOrder> {
  allow(actor, 'order.decide', merchantId)
  const to = OUTCOMES[decision]
  const before = await findOrder(app, { merchantId, id })
  if (before === null) throw notFound('vending order')
  if (before.vendingStatus === to.status && before.confirmed) return before
  const isOpen = before.vendingStatus === 'dispensing' || isUnconfirmed(before)
  if (!isOpen)
    throw domainRefusal('not_dispensing', `vending order is ${before.vendingStatus}: there is nothing to decide`)
  const act = { actor, action: 'order.decide', at: app.clock.now(), merchantId, mode: before.mode } as const
  const row = auditRow({ ...act, subject: id, before: { status: before.vendingStatus }, after: { decision } })
  const move = { kind: 'order', merchantId, id, to, source: 'manual', alongside: row } as const
  const moved = await moveDispense(app, move)
  if (moved !== 'moved' && moved !== 'same') throw newDecisionRefusal(moved)
  const order = await findOrder(app, { merchantId, id })
  assert(order, 'an order is never deleted')
  return order
}

const isUnconfirmed = ({ vendingStatus, confirmed }: VendingOrder) => vendingStatus === 'dispensed' && !confirmed

function newDecisionRefusal(moved: Exclude<DispenseVerdict, 'moved' | 'same'>) {
  const reason = moved === 'final' ? 'the machine has said otherwise meanwhile' : 'no machine was told to dispense'
  return domainRefusal('conflict', `vending order cannot be decided: ${reason}`)
}
