import type { Call } from '../../platform/db/database.ts'
import type { KeptCallback } from '../callbacks/vendor-callbacks.ts'
import type { ReportedGoods } from '../orders/order.ts'
import type { Claim, ClaimState } from './claim.ts'
import type { Answer } from './move-claim.ts'

/** The source of a move: a machine's report, the supplier's answer to our command, or a person (contract.md section 5). */
export type MoveSource = 'callback' | 'command' | 'manual'

/** What became of a dispense. */
export type DispenseOutcome =
  | { status: 'dispensed'; confirmed: boolean; result: readonly ReportedGoods[] | null; note: string | null }
  | { status: 'failed'; confirmed: boolean; result: readonly ReportedGoods[] | null; error: string }

export type DispenseKey = { merchantId: number; id: string }
/** What stands behind the locks of these keys, by their names, and what was read with it. */
export type Locked<Standing, Row> = { standing: Map<string, Standing>; also: Row[] }
/** What is dispensed: an order; or what a charge pays for directly, an order without a page, by the id of that charge. */
export type DispensePlace = DispenseKey & { kind: Claim['kind'] }
/** The same for one dispense, and for no two. */
export const nameOf = ({ merchantId, id }: DispenseKey) => `${merchantId} ${id}`

export type DispenseMove = DispensePlace & {
  to: DispenseOutcome
  source: MoveSource
  /** The command it is about: nothing moves unless that is the newest and in one of these states. `none`: before the first. */
  about?: { claimId: string; while: readonly ClaimState[] } | 'none'
  /** The latest time at which it was reported, by the clock of the reporter. */
  saidAt?: Date
  /** For a report: the machine that it is about. */
  machine?: string | null
  /**
   * The message. It is stored under the locks in any case. If its signature was stored before, nothing moves: the first
   * content counts.
   */
  said?: { sign: string; kept(verdict: DispenseMoved): KeptCallback }
  /** The supplier's answer that says it; it is kept on the claim with the move, and only with it. */
  heard?: Answer
  /** What is written in the commit of the move, and only with it. */
  alongside?: Call
}

/** What this claim is on. */
export const dispenseOf = ({
  kind,
  merchantId,
  orderId,
  chargeId,
}: Pick<Claim, 'kind' | 'merchantId' | 'orderId' | 'chargeId'>): DispensePlace => ({
  kind,
  merchantId,
  id: kind === 'order' ? orderId : chargeId,
})

/**
 * `moved`: this call did it. `same`: it was in this state already. The others write nothing. `final`: it was decided
 * another way before; `refunded`, `unpaid`: because of its charge; `never_commanded`: no command was sent; `seen`: this
 * message was recorded before.
 */
export type DispenseMoved = 'moved' | 'same' | 'final' | 'refunded' | 'unpaid' | 'never_commanded' | 'seen'
