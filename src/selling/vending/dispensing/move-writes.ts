import { addEvents } from '../../../merchants/webhooks/events.ts'
import { numberColumn, textColumn, timeColumn, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { nextClaimState } from './claim.ts'
import { sumUnits } from './delivered-products.ts'
import { buildDispenseEvent, hasEvent } from './dispense-events.ts'
import { type ClaimEnd, endClaims } from './move-claim.ts'
import { formatOrderError, type MovedDispense } from './plan-refund.ts'

const MOVE_ORDERS = statement(
  'move vending orders',
  `update vending_orders o set vending_status = n.status, confirmed = n.confirmed, dispense_result = n.result::json,
     units_dispensed = n.units, vending_error = n.error, watched = false, refund_due_at = n.refund_due_at,
     refund_until = n.refund_until, refund_wanted = n.refund_wanted,
     dispensed_at = case when n.status = 'dispensed' then coalesce(o.dispensed_at, $11::timestamptz) end
   from ${unnestColumns('bigint', 'text', 'text', 'boolean', 'text', 'bigint', 'text', 'timestamptz', 'timestamptz', 'boolean')} as n (merchant_id, id, status, confirmed, result, units, error, refund_due_at, refund_until, refund_wanted)
   where o.merchant_id = n.merchant_id and o.id = n.id`,
)
/** Lists the writes that move these orders, end their claims and add their events, for the transaction that has judged them. */
export function listMoveWrites(app: App, moved: readonly MovedDispense[], at: Date): Call[] {
  return [
    ...moveOrders(
      moved.filter(({ dispense }) => dispense.kind === 'order'),
      at,
    ),
    ...endClaims(moved.flatMap(newClaimEnd), at),
    ...addEvents(
      moved.filter(hasEvent).map((movedDispense) => buildDispenseEvent(app, movedDispense, at)),
      at,
    ),
  ]
}

function moveOrders(moved: readonly MovedDispense[], at: Date): Call[] {
  if (moved.length === 0) return []
  return [
    call(
      MOVE_ORDERS,
      numberColumn(moved.map(({ move }) => move.merchantId)),
      textColumn(moved.map(({ move }) => move.id)),
      textColumn(moved.map(({ move }) => move.to.status)),
      moved.map(({ move }) => move.to.confirmed),
      moved.map(({ move }) => (move.to.result === null ? null : JSON.stringify(move.to.result))),
      numberColumn(moved.map(({ move }) => sumUnits(move.to.result))),
      moved.map(formatOrderError),
      timeColumn(moved.map(({ refund }) => refund.due)),
      timeColumn(moved.map(({ refund }) => refund.until)),
      moved.map(({ refund }) => refund.wanted),
      at.toISOString(),
    ),
  ]
}

/** Ends the newest claim, the only one that can be open; an order that was never claimed has none. */
function newClaimEnd(moved: MovedDispense): ClaimEnd[] {
  const { facts } = moved.dispense
  const { merchantId, to, supplierAnswer, source } = moved.move
  if (facts.newest === null) return []
  const { id, state } = facts.newest
  const { result } = to
  // An acceptance that came after its process counted as dead still counts, but the claim stays in doubt.
  const isLate = to.status === 'dispensed' && state !== 'commanding'
  const end = {
    from: state,
    to: nextClaimState(state, to),
    supplierAnswer: isLate ? null : (supplierAnswer ?? null),
  }
  return [{ merchantId, id, ...end, result, units: sumUnits(result), source, note: formatOrderError(moved) }]
}
