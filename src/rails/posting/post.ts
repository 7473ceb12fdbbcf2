import { assert } from '../../platform/assert.ts'
import type { Call } from '../../platform/db/database.ts'
import { retryWhileAway } from '../../platform/db/retry-while-away.ts'
import { type Moment, momentAt, msBetween } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { type AttemptFacts, isCurrentPost } from '../attempt-facts.ts'
import { moveAttempt, type Post, refuseInDoubt, refuseRepost } from '../attempts.ts'
import { callbackPathFor } from '../callback-token.ts'
import { addEvidence } from '../evidence.ts'
import { lockMovements } from '../lock-movements.ts'
import type { MarkedPost, Movable, Mover } from '../mover.ts'
import type { CallDeadline, OperatorRefusal, SubmitAnswer, Unavailable } from '../rail.ts'
import { applyRefusal } from './refuse.ts'

const RETRY_SECONDS = 5
/** For how long a process retries to record an answer that only it has (M2), in ms. */
export const ANSWER_KEPT_MS = 60_000

/**
 * Submits a post that was marked at `mark` to the rail. A throw of the rail counts as ambiguous, because it is unknown how far the
 * call got.
 */
export async function submitPost<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, installation, mark }: { row: Row; installation: string; mark: Moment },
): Promise<SubmitAnswer<Failure>> {
  const carrier = mover.findMovementRail(app, row)
  assert(carrier, 'a stored live movement has a rail')
  const note = await mover.readNote(app, row).catch((error) => {
    app.log.error({ err: error, object_id: row.id }, 'a post could not be made; it was not sent')
    return null
  })
  if (note === null) return unavailableUnsent(app, 'the post could not be made')
  const deadline = deadlineOfPost(app, mark)
  if (deadline === null) {
    app.log.error({ object_id: row.id }, 'a post was marked too long ago, so it was not sent')
    return unavailableUnsent(app, 'the process stood still')
  }
  const started = performance.now()
  try {
    const attempt = { ...mover.buildAttempt(row, installation), note, callbackPath: callbackPathOf(app, row) }
    mover.crash.sent()
    const answer = await carrier.submit(attempt, deadline)
    mover.crash.answered()
    return answer
  } catch (error) {
    app.log.error({ err: error, object_id: row.id }, 'a rail threw')
    const elapsedMs = performance.now() - started
    return {
      kind: 'ambiguous',
      evidence: { at: app.clock.now(), operation: 'submit', stage: 'sent', elapsedMs },
    }
  }
}

const callbackPathOf = (app: App, { id, railReference, channel }: Movable): string | null =>
  railReference === null ? null : callbackPathFor(app, { id, reference: railReference, channel })

/** The answer for a post that was not sent: the database was away, or the time of the post was over. */
const unavailableUnsent = (app: App, why: string): Unavailable => ({
  ...{ kind: 'unavailable', cure: 'wait', why, retryAfterSeconds: RETRY_SECONDS },
  evidence: { at: app.clock.now(), operation: 'submit', stage: 'gate', elapsedMs: 0 },
})

/** Submits a post that is marked as sending and for which no caller waits, and records the answer. */
export async function postAndRecord<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  posted: MarkedPost<Row & AttemptFacts<Failure>>,
): Promise<void> {
  const { row, post, mark } = posted
  const answer = await submitPost(app, mover, { row, installation: post.installation, mark })
  await retryWhileAway(() => recordAnswer(app, mover, { posted, answer }), ANSWER_KEPT_MS)
}

type AnsweredPost<Row, Failure extends string> = {
  posted: MarkedPost<Row & AttemptFacts<Failure>>
  answer: SubmitAnswer<Failure>
}

/** Records the answer to a post. An answer to a repeated post is about that post only (rails.md 4.5). */
async function recordAnswer<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  answered: AnsweredPost<Row, Failure>,
): Promise<void> {
  const { posted, answer } = answered
  const { row, post: sent, repeated } = posted
  // A repeated post does not restart the ladder of questions.
  const endedAt = repeated ? null : app.clock.now()
  switch (answer.kind) {
    case 'accepted':
      return writeAnswer(app, mover, answered, [
        mover.publish(app, row, { acceptedBy: sent.installation }),
        moveAttempt(sent, 'accepted', endedAt),
      ])
    case 'ambiguous': {
      const refused = keptRefusal(mover, answer)
      const doubt = refused === null ? moveAttempt(sent, 'in_doubt', endedAt) : refusalCall(sent, refused, endedAt)
      return writeAnswer(app, mover, answered, [mover.publish(app, row, { acceptedBy: null }), doubt])
    }
    case 'rejected':
      if (repeated)
        return writeAnswer(app, mover, answered, [
          mover.publish(app, row, { acceptedBy: null }),
          refuseRepost(sent, answer.reason),
        ])
      await applyRefusal(app, mover, { row, post: sent, heard: answer, reason: answer.reason, alongside: [] })
      return
    case 'unavailable':
      return writeAnswer(app, mover, answered, mover.postNotTaken(app, posted, answer))
  }
}

/** Makes the call that stores a refusal which questions must confirm: of a repeated post (`endedAt` null), or of the first one. */
const refusalCall = (sent: Post, { reason }: OperatorRefusal<string>, endedAt: Date | null): Call =>
  endedAt === null ? refuseRepost(sent, reason) : refuseInDoubt(sent, reason, endedAt)

/** Returns the refusal in an ambiguous answer, if this noun keeps it; else null. */
export const keptRefusal = <Row extends Movable, Failure extends string>(
  mover: Mover<Row, Failure>,
  { refused }: Extract<SubmitAnswer<Failure>, { kind: 'ambiguous' }>,
): OperatorRefusal<Failure> | null => (refused !== undefined && mover.keepsRefusal(refused) ? refused : null)

/** Returns the kind under which an answer to a post is stored as evidence. */
export const evidenceAnswer = (answer: SubmitAnswer<string>): string =>
  answer.kind === 'ambiguous' && answer.refused !== undefined ? 'refused' : answer.kind

/**
 * Stores the evidence, and writes `news` if this post is the last one and no later answer was recorded. An acceptance counts for
 * any post, because then the operator has the reference.
 */
async function writeAnswer<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { posted: { row, post: sent }, answer }: AnsweredPost<Row, Failure>,
  news: readonly Call[],
): Promise<void> {
  const evidence = addEvidence(sent, evidenceAnswer(answer), answer.evidence)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockMovements(mover.noun, [row]))
    const counts = locked?.open === true && (answer.kind === 'accepted' || isCurrentPost(locked, sent.nth))
    return { value: null, last: [...(counts ? news : []), evidence] }
  })
}

// Counted from the mark as sending. Other processes leave a post without a recorded end alone for longer than this (`SENDING_MS`).
const POST_DEADLINE_MS = 25_000

/**
 * Returns the deadline of a post, counted from its mark. Null when it has passed: this process stood still since then, and other
 * processes rely on this post not leaving any more (rails.md 3.9).
 */
function deadlineOfPost({ clock, deadlineIn }: Pick<App, 'clock' | 'deadlineIn'>, mark: Moment): CallDeadline | null {
  const leftMs = () => POST_DEADLINE_MS - msBetween(mark, momentAt(clock.now()))
  const left = leftMs()
  if (left <= 0) return null
  return { ...deadlineIn(left), isOver: () => leftMs() <= 0 }
}
