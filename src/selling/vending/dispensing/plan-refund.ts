import type { DispenseMove } from './dispense-move.ts'
import type { LockedDirect } from './lock-directs.ts'
import type { LockedOrder } from './lock-orders.ts'

export type LockedDispense = LockedOrder | LockedDirect
/** A locked dispense that moves, with its move and the plan for its refund. */
export type MovedDispense = { dispense: LockedDispense; move: DispenseMove; refund: RefundPlan }
/**
 * The plan for the money after a reported jam. `wanted`: the merchant's switch; null without a jam. `due` to `until`: when a refund is
 * tried. `whyNot`: why a wanted one is not tried.
 */
type RefundPlan = { wanted: boolean | null; due: Date | null; until: Date | null; whyNot: string | null }

const REFUND_WITHIN_MS = 3_600_000
export const REFUND_TRIED_MS = 72 * 3_600_000
const NO_REFUND: RefundPlan = { wanted: null, due: null, until: null, whyNot: null }
const TOO_LATE = 'reported too late for the automatic refund - please refund the customer'

/** Formats the error that the merchant reads on the order. */
export function formatOrderError({ move: { to }, refund }: MovedDispense): string | null {
  if (to.status !== 'failed') return to.note
  return refund.whyNot === null ? to.error : `${to.error} - ${refund.whyNot}`
}

/** Plans the refund of a reported jam: if the merchant has switched it on, once, and within an hour of the command (G41b, VE8). */
export function planRefund({ dispense: { order, facts }, move }: Omit<MovedDispense, 'refund'>, at: Date): RefundPlan {
  if (move.source !== 'callback' || move.to.status !== 'failed') return NO_REFUND
  const wanted = facts.autoRefundOnJam === 'both' || facts.autoRefundOnJam === order.mode
  if (!wanted || order.charge?.status !== 'succeeded') return { ...NO_REFUND, wanted }
  const age = facts.commandedAt === null ? Infinity : at.getTime() - facts.commandedAt.getTime()
  if (age > REFUND_WITHIN_MS) return { ...NO_REFUND, wanted, whyNot: TOO_LATE }
  return { wanted, due: at, until: new Date(at.getTime() + REFUND_TRIED_MS), whyNot: null }
}
