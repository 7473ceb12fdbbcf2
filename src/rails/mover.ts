import type { App } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import type { Mark } from '../platform/mark.ts'
import type { Mode } from '../platform/mode.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import type { Post } from './attempts.ts'
import type { LockedPost, Noun } from './lock-posts.ts'
import type { Attempt, Movement, Refused, Unavailable } from './rail.ts'
import type { RepostTimes } from './repost-times.ts'

/** What every charge, payout and top-up has: enough to name its attempt. */
export type Movable = {
  merchantId: number
  id: string
  mode: Mode
  channel: string
  /** Null only for a charge that a gift card covers in full; it never travels. */
  railReference: string | null
  createdAt: Date
}

/** An open movement that is due, with what its attempt knows. */
export type Followed<Row, Failure extends string> = Row & AttemptFacts<Failure> & { tag: string }

/**
 * A post that is marked as sending, and when. `repeated`: an earlier one may have arrived, so the answer is about this post only
 * (rails.md 4.5).
 */
export type Posted<Row> = { row: Row; post: Post; mark: Mark; repeated: boolean }

/** `acceptedBy`: the contract that took it; null when nobody knows. `calledBack`: its operator has called, so it is asked at once. */
export type Publication = { acceptedBy: string | null; calledBack?: boolean }

/** How a movement ends. */
export type Final<Failure> =
  | { status: 'succeeded'; railTransactionId: string | null }
  | { status: 'failed'; reason: Failure }

/**
 * `moved`: this call did it. `same`: it had already ended this way. `contradicted`: it had ended another way; an exception
 * is open. `overtaken`: the condition that was asked for does not hold; nothing was written.
 */
export type Moved = 'moved' | 'same' | 'contradicted' | 'overtaken'

/** An operator's answer that cannot be believed: about something else than was asked for, or against itself. */
export type Mismatch = {
  merchantId: number
  tag: string
  mode: Mode
  kind: 'mismatch' | 'contradictory_answer'
  subject: string
  details: Record<string, unknown>
}

/**
 * What a noun brings along so that this folder can carry its movements: how a row is read, and the statements that write
 * it. `Row` is what is known of a stored movement.
 */
export type Mover<Row extends Movable, Failure extends string> = {
  noun: Noun
  side: 'collect' | 'disburse'
  /** The side of the rail that carries it; undefined where there is none. */
  carrier(app: App, row: Row): Movement<Failure> | undefined
  /** Without its note, which only a post needs. */
  attemptOf(app: App, row: Row, installation: string): Attempt
  /** What the operator shows on the phone: the merchant's name. */
  noteOf(app: App, row: Row): Promise<string>
  /** Shows it as `authorized` and asks about it soon. */
  publish(app: App, row: Row, how: Publication): Call
  /** Sets when an open movement is looked at next. */
  lookAt(row: Row, at: Date): Call
  /** Sets when it is asked about next. `unheard`: nobody has heard the end of its submit. */
  askAgain(row: Row, at: Date, unheard: boolean): Call
  /**
   * The one mover: ends it by compare-and-set. With `still`, only while that holds on the locked row. `alongside` commits
   * with it.
   */
  end(
    app: App,
    row: Row,
    end: { to: Final<Failure>; still?: (found: LockedPost<Failure>) => boolean; alongside: readonly Call[] },
  ): Promise<Moved>
  openException(found: Mismatch, at: Date): Call[]
  /** When one that the operator does not know is posted again, within the window of its contract. */
  reposts(windowMs: number): RepostTimes
  /** Whether a refusal that is not conclusive is kept, to end it when questions confirm it. */
  keepsRefusal(refused: Refused<Failure>): boolean
  /** How: at once, because its customer waits, or through the queue, where a freeze and a pause are judged again. */
  repost: 'at once' | 'through the queue'
  /** What is written when a post from the queue, or a repeated one, was provably not taken. */
  postNotTaken(app: App, posted: Posted<Row & AttemptFacts<Failure>>, heard: Unavailable): Call[]
  /** Where the crash tests kill the process: before the rail is asked, after its answer, after a refusal was stored. */
  crash: { sent(): void; answered(): void; refusalKept(): void }
}

/** The post of this number of a movement that travels. */
export const postOf = (row: Movable, installation: string, nth: number): Post => ({
  merchantId: row.merchantId,
  reference: row.railReference as string, // Only a movement that never travels has none.
  installation,
  nth,
})
