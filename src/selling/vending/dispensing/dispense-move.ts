import type { Call } from '../../../platform/db/database.ts'
import type { StoredCallback } from '../callbacks/vendor-callbacks.ts'
import type { ReportedGoods } from '../orders/order.ts'
import type { ClaimState, DispenseClaim } from './claim.ts'
import type { SupplierAnswer } from './move-claim.ts'

/** The source of a move: a machine's report, the supplier's answer to our command, or a person (contract.md section 5). */
export type MoveSource = 'callback' | 'command' | 'manual'

/** The outcome of a dispense. */
export type DispenseOutcome =
  | { status: 'dispensed'; confirmed: boolean; result: readonly ReportedGoods[] | null; note: string | null }
  | { status: 'failed'; confirmed: boolean; result: readonly ReportedGoods[] | null; error: string }

export type DispenseKey = { merchantId: number; id: string }
/** The locked dispenses by their names, and the rows that were read with them. */
export type LockedRows<Dispense, Row> = { dispenses: Map<string, Dispense>; also: Row[] }
/** `id` is that of an order; for a direct dispense (an order without a page) that of the charge that pays it. */
export type DispenseTarget = DispenseKey & { kind: DispenseClaim['kind'] }
/** Makes the key of a dispense in maps and lanes, unique to it. */
export const dispenseName = ({ merchantId, id }: DispenseKey) => `${merchantId} ${id}`

export type DispenseMove = DispenseTarget & {
  to: DispenseOutcome
  source: MoveSource
  /** The command that the move is about: nothing moves unless it is the newest and in one of these states. `none`: no command was claimed. */
  about?: { claimId: string; while: readonly ClaimState[] } | 'none'
  /** The latest time at which it can have been reported, by the clock of the reporter. */
  saidAt?: Date
  /** For a report: the machine that it is about. */
  machine?: string | null
  /**
   * The callback behind the move. It is stored under the locks whether the dispense moves or not. If its signature was stored
   * before, nothing moves: the first content counts.
   */
  message?: { sign: string; kept(verdict: DispenseVerdict): StoredCallback }
  /** The supplier's answer behind the move. It is stored on the claim only if the dispense moves. */
  supplierAnswer?: SupplierAnswer
  /** A write that commits with the move, only if the dispense moves. */
  alongside?: Call
}

/** Returns the target of a claim. */
export const dispenseTarget = ({
  kind,
  merchantId,
  orderId,
  chargeId,
}: Pick<DispenseClaim, 'kind' | 'merchantId' | 'orderId' | 'chargeId'>): DispenseTarget => ({
  kind,
  merchantId,
  id: kind === 'order' ? orderId : chargeId,
})

/**
 * The verdict on a move. `moved`: this call moved the dispense. `same`: it was in this state already. With the others it does
 * not move. `final`: it was decided another way before. `refunded`, `unpaid`: because of its charge. `never_commanded`: no
 * command was sent. `seen`: this message was stored before.
 */
export type DispenseVerdict = 'moved' | 'same' | 'final' | 'refunded' | 'unpaid' | 'never_commanded' | 'seen'
