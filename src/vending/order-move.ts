import type { Call } from '../platform/db/database.ts'
import type { ClaimState } from './claim.ts'
import type { ReportedGoods } from './order.ts'
import type { KeptCallback } from './vendor-callbacks.ts'

/** Who says so: a machine's report, the supplier's answer to our command, or a person (contract.md section 5). */
export type MoveSource = 'callback' | 'command' | 'manual'

/** What became of an order. */
export type OrderOutcome =
  | { status: 'dispensed'; confirmed: boolean; result: readonly ReportedGoods[] | null; note: string | null }
  | { status: 'failed'; confirmed: boolean; result: readonly ReportedGoods[] | null; error: string }

export type OrderMove = {
  merchantId: number
  id: string
  to: OrderOutcome
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
  said?: { sign: string; kept(verdict: OrderMoved): KeptCallback }
  /** Commits with the move, and only with it. */
  alongside?: readonly Call[]
}

/**
 * `moved`: this call did it. `same`: it stood so already. Nothing is written by the rest: `final` was decided otherwise before,
 * `refunded` and `unpaid` by its charge, `never_commanded` because no command was sent, `seen` because this very message was
 * recorded before.
 */
export type OrderMoved = 'moved' | 'same' | 'final' | 'refunded' | 'unpaid' | 'never_commanded' | 'seen'
