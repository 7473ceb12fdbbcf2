import type { StandingDirect } from './direct-standing.ts'
import type { DispenseMove } from './dispense-move.ts'
import type { StandingOrder } from './order-standing.ts'

export type StandingDispense = StandingOrder | StandingDirect
/** A dispense that moves, as it stands behind its locks, and by whose word. */
export type MovedDispense = { standing: StandingDispense; move: DispenseMove; refund: RefundPlan }
/**
 * What becomes of the money after a reported jam. `wanted`: the merchant's switch, null where there is no jam. From when to when
 * a refund is tried; `whyNot`: the reason why a wanted one is not.
 */
type RefundPlan = { wanted: boolean | null; due: Date | null; until: Date | null; whyNot: string | null }

const REFUND_WITHIN_MS = 3_600_000
export const REFUND_TRIED_MS = 72 * 3_600_000
const NO_REFUND: RefundPlan = { wanted: null, due: null, until: null, whyNot: null }
const TOO_LATE = 'reported too late for the automatic refund - please refund the customer'

/** What the merchant reads of it. */
export function errorOf({ move: { to }, refund }: MovedDispense): string | null {
  if (to.status !== 'failed') return to.note
  return refund.whyNot === null ? to.error : `${to.error} - ${refund.whyNot}`
}

/** A reported jam is refunded where the merchant has said so, once, and not long after its command (G41b, VE8). */
export function planRefund(
  { standing: { order, facts }, move }: Omit<MovedDispense, 'refund'>,
  at: Date,
): RefundPlan {
  if (move.source !== 'callback' || move.to.status !== 'failed') return NO_REFUND
  const wanted = facts.autoRefundOnJam === 'both' || facts.autoRefundOnJam === order.mode
  if (!wanted || order.charge?.status !== 'succeeded') return { ...NO_REFUND, wanted }
  const age = facts.commandedAt === null ? Infinity : at.getTime() - facts.commandedAt.getTime()
  if (age > REFUND_WITHIN_MS) return { ...NO_REFUND, wanted, whyNot: TOO_LATE }
  return { wanted, due: at, until: new Date(at.getTime() + REFUND_TRIED_MS), whyNot: null }
}
