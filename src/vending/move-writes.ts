import type { App } from '../app.ts'
import { numbers, rowsOf, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { addEvents, type Happening, inKeyOrder } from '../webhooks/events.ts'
import type { MoveFacts } from './judge-move.ts'
import { presentOrder, type ReportedGoods, type VendingOrder } from './order.ts'
import type { OrderMove } from './order-move.ts'

/** An order that moves, as it stands behind its lock, and by whose word. */
export type MovedOrder = {
  order: VendingOrder
  facts: MoveFacts
  move: OrderMove
  refund: RefundPlan
}
/**
 * What becomes of the money after a reported jam. `wanted`: the merchant's switch, null where there is no jam. From when to when
 * a refund is tried; `whyNot`: the reason why a wanted one is not.
 */
type RefundPlan = { wanted: boolean | null; due: Date | null; until: Date | null; whyNot: string | null }

const MOVE = statement(
  'move vending orders',
  `update vending_orders o set vending_status = n.status, confirmed = n.confirmed, dispense_result = n.result::json,
     units_dispensed = n.units, vending_error = n.error, watched = false, refund_due_at = n.refund_due_at,
     refund_until = n.refund_until, refund_wanted = n.refund_wanted,
     dispensed_at = case n.status when 'dispensed' then coalesce(o.dispensed_at, $11::timestamptz) end
   from ${rowsOf('bigint', 'text', 'text', 'boolean', 'text', 'int', 'text', 'timestamptz', 'timestamptz', 'boolean')} as n (merchant_id, id, status, confirmed, result, units, error, refund_due_at, refund_until, refund_wanted)
   where o.merchant_id = n.merchant_id and o.id = n.id`,
)
// A reported jam, a definite refusal and a person's "not delivered" free the charge for another try; a delivery keeps it, and
// takes it again where the machine says so only after a failure was reported. The newest claim is the only one that may stand.
const END_CLAIMS = statement(
  'end dispense claims',
  `update dispense_claims k set state = n.state, released_at = case n.state when 'released' then $4::timestamptz end,
     answered_at = coalesce(k.answered_at, $4), lease_until = null, reports_at = null
   from ${rowsOf('bigint', 'text', 'text')} as n (merchant_id, id, state)
   where k.merchant_id = n.merchant_id and k.id = n.id`,
)

const REFUND_WITHIN_MS = 3_600_000
const REFUND_TRIED_MS = 72 * 3_600_000
const NO_REFUND: RefundPlan = { wanted: null, due: null, until: null, whyNot: null }
const TOO_LATE = 'reported too late for the automatic refund - please refund the customer'

/** What moves these orders, ends their claims and tells of it, in the transaction that has judged them. */
export function writesOf(app: App, moved: readonly MovedOrder[], at: Date): Call[] {
  if (moved.length === 0) return []
  return [
    moveRows(moved, at),
    ...endClaims(moved, at),
    // Seen before: an optimistic success that the machine now confirms is no new event.
    ...addEvents(
      moved
        .filter(({ order, move }) => order.vendingStatus !== move.to.status)
        .map((one) => happeningOf(app, one, at)),
      at,
    ),
    ...moved.flatMap(({ move }) => move.alongside ?? []),
  ]
}

function moveRows(moved: readonly MovedOrder[], at: Date): Call {
  return call(
    MOVE,
    numbers(moved.map(({ order }) => order.merchantId)),
    words(moved.map(({ order }) => order.id)),
    words(moved.map(({ move }) => move.to.status)),
    words(moved.map(({ move }) => (move.to.confirmed ? 'true' : 'false'))),
    moved.map(({ move }) => (move.to.result === null ? null : JSON.stringify(move.to.result))),
    numbers(moved.map(({ move }) => unitsOf(move.to.result))),
    moved.map(errorOf),
    times(moved.map(({ refund }) => refund.due)),
    times(moved.map(({ refund }) => refund.until)),
    words(moved.map(({ refund }) => (refund.wanted === null ? null : String(refund.wanted)))),
    at.toISOString(),
  )
}

function endClaims(moved: readonly MovedOrder[], at: Date): Call[] {
  const ended = moved.flatMap(({ order, move, facts }) => {
    const ends = facts.newest !== null && (move.to.status === 'failed' || move.to.confirmed)
    const state = move.to.status === 'failed' ? 'released' : 'delivered'
    return ends && facts.newest !== null ? [{ merchantId: order.merchantId, id: facts.newest.id, state }] : []
  })
  if (ended.length === 0) return []
  return [
    call(
      END_CLAIMS,
      numbers(ended.map(({ merchantId }) => merchantId)),
      words(ended.map(({ id }) => id)),
      words(ended.map(({ state }) => state)),
      at.toISOString(),
    ),
  ]
}

/** Units in all that a machine has reported; null where it has not said. */
export const unitsOf = (result: readonly ReportedGoods[] | null): number | null =>
  result === null ? null : result.reduce((sum, { chsl }) => sum + chsl, 0)

function errorOf({ move: { to }, refund }: MovedOrder): string | null {
  if (to.status !== 'failed') return to.note
  return refund.whyNot === null ? to.error : `${to.error} - ${refund.whyNot}`
}

/** A reported jam is refunded where the merchant has said so, once, and not long after its command (G41b, VE8). */
export function planRefund({ order, move, facts }: Omit<MovedOrder, 'refund'>, at: Date): RefundPlan {
  if (move.source !== 'callback' || move.to.status !== 'failed') return NO_REFUND
  const wanted = facts.autoRefundOnJam === 'both' || facts.autoRefundOnJam === order.mode
  if (!wanted || order.charge?.status !== 'succeeded') return { ...NO_REFUND, wanted }
  const age = facts.commandedAt === null ? Infinity : at.getTime() - facts.commandedAt.getTime()
  if (age > REFUND_WITHIN_MS) return { ...NO_REFUND, wanted, whyNot: TOO_LATE }
  return { wanted, due: at, until: new Date(at.getTime() + REFUND_TRIED_MS), whyNot: null }
}

/** `vending.dispensed` or `vending.dispense_failed` (contract.md section 5), keys in the order of canonical JSON. */
function happeningOf(app: App, moved: MovedOrder, at: Date): Happening {
  const { order, move, facts } = moved
  const { to, source } = move
  const dispensed = to.status === 'dispensed'
  const next: VendingOrder = {
    ...order,
    vendingStatus: to.status,
    vendingError: errorOf(moved),
    confirmed: to.confirmed,
    dispenseResult: to.result,
    unitsDispensed: unitsOf(to.result),
    dispensedAt: dispensed ? (order.dispensedAt ?? at) : null,
  }
  const view = presentOrder(next, { baseUrl: app.baseUrl, at })
  return {
    merchantId: order.merchantId,
    tag: facts.tag,
    mode: order.mode,
    type: dispensed ? 'vending.dispensed' : 'vending.dispense_failed',
    subject: order.id,
    // Of one command twice only after an optimistic success was contradicted, and that in its turn: the opposite number.
    occurrence: dispensed && facts.dispensedTold ? -order.attempts : order.attempts,
    data: inKeyOrder({ ...view, merchant_reference: order.reference, source }),
    hasWebhookUrl: facts.hasWebhookUrl,
  }
}
