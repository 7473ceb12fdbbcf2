import type { Call } from '../platform/db/database.ts'
import type { Mode } from '../platform/mode.ts'
import type { Moment } from '../platform/time/moment.ts'
import type { App } from '../program/app.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import type { Post } from './attempts.ts'
import type { Move, MoveResult } from './finishing/move.ts'
import type { Publication } from './following/ladders.ts'
import type { TravellingNoun } from './lock-movements.ts'
import type { RepostTimes } from './posting/repost-times.ts'
import type { Attempt, MovementRail, OperatorRefusal, Unavailable } from './rail.ts'

/** The fields that every charge, payout and top-up has: enough to identify its attempt. */
export type Movable = {
  merchantId: number
  id: string
  mode: Mode
  channel: string
  /** Null only for a charge that a gift card covers in full; it never travels. */
  railReference: string | null
  createdAt: Date
}

/** An open movement that is due, with the facts of its attempt and the tag of its merchant. */
export type Followed<Row, Failure extends string> = Row & AttemptFacts<Failure> & { tag: string }

/**
 * A post that is marked as sending, and when. `repeated`: an earlier post may have arrived, so the answer is about this post only
 * (rails.md 4.5).
 */
export type MarkedPost<Row> = { row: Row; post: Post; mark: Moment; repeated: boolean }

/** The exception about an answer that cannot be believed: it reports something else than was requested, or contradicts itself. */
type AnswerException = {
  merchantId: number
  tag: string
  mode: Mode
  kind: 'mismatch' | 'contradictory_answer'
  subject: string
  details: Record<string, unknown>
}

/** A movement whose first post was accepted, and when it is asked about first. */
export type NewlyAccepted = { merchantId: number; id: string; followAt: Date }

/**
 * What a noun must provide so that this folder can carry its movements: how a row is read, and the calls that write it. `Row` holds
 * the fields of a stored movement.
 */
export type Mover<Row extends Movable, Failure extends string> = {
  noun: TravellingNoun
  side: 'collect' | 'disburse'
  /** Finds the side of the rail that carries it; undefined where there is none. */
  findMovementRail(app: App, row: Row): MovementRail<Failure> | undefined
  /** Builds the attempt without its note and callback path, which only a post needs. */
  buildAttempt(row: Row, installation: string): Attempt
  /** Reads the text that the operator shows on the phone: the merchant's name. */
  readNote(app: App, row: Row): Promise<string>
  /** Shows it as `authorized` and sets its first question. */
  publish(app: App, row: Row, how: Publication): Call
  /**
   * Shows movements that nobody has shown yet, and sets their first questions; fails the transaction where one is not so any more. Absent
   * where they are too few to be worth it.
   */
  publishNew?(rows: readonly NewlyAccepted[]): Call
  /** Sets when the follower takes up an open movement next, to ask about it or to send it. */
  setFollowAt(row: Row, at: Date): Call
  /** Sets when it is asked about next. `unheard`: no end of its submit is recorded, so it is shown as ambiguous from now on. */
  setNextQuestion(row: Row, at: Date, unheard: boolean): Call
  /** Finishes it by compare-and-set; nothing else does. */
  finish(app: App, row: Row, move: Move<Failure>): Promise<MoveResult>
  openException(exception: AnswerException, at: Date): Call[]
  /** Returns the times at which a movement that the operator does not know is posted again, within the window of its installation. */
  reposts(windowMs: number): RepostTimes
  /** Whether a refusal that is not conclusive is stored, so that the movement fails once questions confirm it. */
  keepsRefusal(refused: OperatorRefusal<Failure>): boolean
  /** How it is posted again: at once, because its customer waits, or through the queue, where a freeze and a pause are judged again. */
  repost: 'at once' | 'through the queue'
  /** Returns the writes for a post from the queue, or a repeated one, that was provably not taken. */
  postNotTaken(app: App, posted: MarkedPost<Row & AttemptFacts<Failure>>, answer: Unavailable): Call[]
  /** Where the crash tests kill the process: before the rail is asked, after its answer, after a refusal was stored. */
  crash: { sent(): void; answered(): void; refusalKept(): void }
}

/** Builds the identity of the post with this number of a movement. */
export const buildPost = (row: Movable, installation: string, nth: number): Post => ({
  merchantId: row.merchantId,
  reference: row.railReference as string, // Only a movement that never travels has none.
  installation,
  nth,
})
