import type { Claim, ClaimState } from './dispensing/claim.ts'
import type { Answer } from './dispensing/move-claim.ts'
import type { ReportedGoods } from './order.ts'
import type { KeptCallback } from './vendor-callbacks.ts'

/** Who says so: a machine's report, the supplier's answer to our command, or a person (contract.md section 5). */
export type MoveSource = 'callback' | 'command' | 'manual'

/** What became of a dispense. */
export type DispenseOutcome =
  | { status: 'dispensed'; confirmed: boolean; result: readonly ReportedGoods[] | null; note: string | null }
  | { status: 'failed'; confirmed: boolean; result: readonly ReportedGoods[] | null; error: string }

export type Place = { merchantId: number; id: string }
/** What is dispensed: an order; or what a charge pays for directly, an order without a page, by the id of that charge. */
export type DispensePlace = Place & { kind: Claim['kind'] }
/** The same for one dispense, and for no two. */
export const nameOf = ({ merchantId, id }: Place) => `${merchantId} ${id}`

export type DispenseMove = DispensePlace & {
  to: DispenseOutcome
  source: MoveSource
  /** The one command it is about: nothing moves unless that is the newest and stands so. `none`: before the first. */
  about?: { claimId: string; while: readonly ClaimState[] } | 'none'
  /** When it was said at the latest, by the clock of whoever said it. */
  saidAt?: Date
  /** Of a report: the machine that it is about. */
  machine?: string | null
  /**
   * The message that says it. It is kept behind the locks, whatever comes of it; where its sign was kept before, it was said
   * before: the first content wins, and nothing moves.
   */
  said?: { sign: string; kept(verdict: DispenseMoved): KeptCallback }
  /** The supplier's answer that says it; it is kept on the claim with the move, and only with it. */
  heard?: Answer
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
 * `moved`: this call did it. `same`: it stood so already. Nothing is written by the rest: `final` was decided otherwise before,
 * `refunded` and `unpaid` by its charge, `never_commanded` because no command was sent, `seen` because this very message was
 * recorded before.
 */
export type DispenseMoved = 'moved' | 'same' | 'final' | 'refunded' | 'unpaid' | 'never_commanded' | 'seen'
