import type { Book } from '../../ledger/book.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import type { LockedMovement, TravellingNoun } from '../lock-movements.ts'

/** The final status of a movement, with its facts. */
export type MovementOutcome<Failure> =
  | { status: 'succeeded'; railTransactionId: string | null }
  | { status: 'failed'; reason: Failure }

/** The movement is taken back before it was ever shown (contract.md 3 j). */
export type VoidedOutcome = { status: 'voided' }

/**
 * `moved`: this call finished the movement. `same`: it was finished before with this outcome. `contradicted`: it was finished before
 * with another outcome; an exception is open. `overtaken`: the condition `still` did not hold; nothing was written. `shown`: the movement
 * could not be taken back because it was shown before; it goes on.
 */
export type MoveResult = 'moved' | 'same' | 'contradicted' | 'overtaken' | 'shown'

/** One open movement and the final outcome that its rail reported. Each noun adds the movement. */
export type Move<Failure extends string, Outcome = MovementOutcome<Failure>> = {
  to: Outcome
  /** A condition on the locked movement and its attempt; if it does not hold, nothing is written. */
  still?: (locked: LockedMovement<Failure>) => boolean
  /** Commits with the move. It is dropped when the move was overtaken, or when the movement could not be taken back any more. */
  alongside?: readonly Call[]
  /** Posts more on the same locked head. A Refusal that it throws stops the move, and nothing is written. */
  posts?: (book: Book) => void
}
export type AnyMove = Move<never, MovementOutcome<string> | VoidedOutcome>

export type MovementKey = { merchantId: number; id: string }

/** What a transaction takes before its commit: it begins when the commit is known, and is given back when it failed or is unknown. */
export type HeldForCommit = { begin(): void; giveBack(): void }

/**
 * Moves of one transaction, which name each movement once, and the time that it writes. `held`: where it keeps what begins after its
 * commit; without it nothing is held. `mayKnow`: it is run again without where a guard of it is broken, so what this process knows need
 * not be read.
 */
export type MovesAt<NounMove> = { moves: readonly NounMove[]; at: Date; held?: HeldForCommit[]; mayKnow?: boolean }

/**
 * `missed`: the results, by id, of the moves whose movement was finished before. `writes` must be sent last. `wakes`: the tasks that have
 * work once it is committed.
 */
export type FinishResult = { missed: Map<string, MoveResult>; writes: Call[]; wakes: readonly Wake[] }

/** A task to wake. */
export type Wake = Parameters<App['nudge']>[0]

/** What a noun must provide so that its movements can be finished here. */
export type Finisher<NounMove extends AnyMove> = {
  noun: TravellingNoun
  movementOf(move: NounMove): MovementKey & { mode: Mode }
  /** Finishes each movement that is still open, inside a transaction that may write more; ends with `completeMoves`. */
  finishIn(app: App, tx: Tx, input: MovesAt<NounMove>): Promise<FinishResult>
  /** Opens the exception about an outcome that contradicts the one it was finished with. */
  openContradiction(
    movement: MovementKey & { mode: Mode },
    about: { tag: string | undefined; answer: { status: string }; at: Date },
  ): Call[]
  /** The counter of finished movements. */
  counter?: 'charges_total' | 'payouts_total'
  /** Where the crash tests kill the process: after the commit. */
  crash?(moves: readonly NounMove[]): void
}
