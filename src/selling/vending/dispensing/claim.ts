import { assert } from '../../../platform/assert.ts'
import type { Mode } from '../../../platform/mode.ts'
import type { Moves } from '../../../platform/moves.ts'
import type { Goods } from '../orders/order.ts'

/** The right to command one dispense for one succeeded charge. The process that holds its lease sends the command. */
export type DispenseClaim = {
  merchantId: number
  id: string
  mode: Mode
  chargeId: string
  kind: 'order' | 'direct'
  orderId: string
  machine: string
  goods: readonly Goods[]
  payAccount: string | null
  attempt: number
}

/** `claimed`: nothing was sent. `commanding`: the command may have left. The others follow from an answer, a report or a decision. */
export type ClaimState = 'claimed' | 'commanding' | 'accepted' | 'ambiguous' | 'delivered' | 'released'

const DELIVERED = 'vending.dispensed'
const FAILED = 'vending.dispense_failed'
export type ClaimEvent = typeof DELIVERED | typeof FAILED

/**
 * The one table of moves, each with the event that it sends; the database refuses every other (trigger claims_move_forward).
 * No move leads back to `claimed`, the only state in which a command is sent: a claim commands once for ever. A released claim
 * takes its charge again if the machine reports a delivery later. With the profile `optimistic`, an acceptance already sends the
 * event of the delivery. A direct dispense that was refused or never sent has no event: its caller gets the refusal as the answer.
 */
export const CLAIM_MOVES = {
  claimed: { commanding: null, delivered: DELIVERED, released: FAILED },
  commanding: { accepted: null, ambiguous: null, delivered: DELIVERED, released: FAILED },
  accepted: { delivered: DELIVERED, released: FAILED },
  ambiguous: { delivered: DELIVERED, released: FAILED },
  released: { delivered: DELIVERED },
  delivered: {},
} as const satisfies Moves<ClaimState, ClaimEvent>

export const CLAIM_COLUMNS = `k.merchant_id as "merchantId", k.id, k.mode, k.charge_id as "chargeId", k.kind,
  k.order_id as "orderId", k.machine, k.goods, k.pay_account as "payAccount", k.attempt`

/** Returns a claim's state after this outcome. An unconfirmed delivery is the acceptance of a supplier whose machines never report. */
export function nextClaimState(
  state: ClaimState,
  { status, confirmed }: { status: 'dispensed' | 'failed'; confirmed: boolean },
): ClaimState {
  if (status === 'failed') return 'released'
  if (confirmed) return 'delivered'
  return state === 'commanding' ? 'accepted' : state
}

/** Chooses the event of a claim's outcome. An acceptance that counts as delivery has the event of a delivery; its confirmation has none. */
export function chooseClaimEvent(state: ClaimState, status: 'dispensed' | 'failed'): ClaimEvent {
  const events: Partial<Record<ClaimState, ClaimEvent | null>> = CLAIM_MOVES[state]
  const event = events[status === 'failed' ? 'released' : 'delivered']
  assert(event, `a ${state} claim does not end as ${status}`)
  return event
}
