import type { App } from '../app.ts'
import { assert } from '../platform/assert.ts'
import type { Call } from '../platform/db/database.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import type { Mark } from '../platform/mark.ts'
import { type AttemptFacts, isCurrentPost } from './attempt-facts.ts'
import { addEvidence, moveAttempt, type Post, refuseInDoubt, refuseRepost } from './attempts.ts'
import { lockPosts } from './lock-posts.ts'
import type { Movable, Mover, Posted } from './mover.ts'
import { postDeadline } from './post-deadline.ts'
import type { Refused, Submitted, Unavailable } from './rail.ts'
import { applyRefusal } from './refuse.ts'

const RETRY_SECONDS = 5
/** For so long an answer is kept that only this process has, while it cannot be recorded (M2). */
export const KEPT_MS = 60_000

/**
 * One submit to the rail, of a post that was marked at `mark`. A throw counts as ambiguous, because it is unknown how far the
 * call got.
 */
export async function submitPost<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, installation, mark }: { row: Row; installation: string; mark: Mark },
): Promise<Submitted<Failure>> {
  const carrier = mover.carrier(app, row)
  assert(carrier, 'a stored live movement has a rail')
  const note = await mover.noteOf(app, row).catch((error) => {
    app.log.error({ err: error, object_id: row.id }, 'a post could not be made; it was not sent')
    return null
  })
  if (note === null) return notMade(app, 'the post could not be made')
  const deadline = postDeadline(app, mark)
  if (deadline === null) {
    app.log.error({ object_id: row.id }, 'a post was marked too long ago, so it was not sent')
    return notMade(app, 'the process stood still')
  }
  const started = performance.now()
  try {
    const attempt = { ...mover.attemptOf(app, row, installation), note }
    mover.crash.sent()
    const heard = await carrier.submit(attempt, deadline)
    mover.crash.answered()
    return heard
  } catch (error) {
    app.log.error({ err: error, object_id: row.id }, 'a rail threw')
    const elapsedMs = performance.now() - started
    return {
      kind: 'ambiguous',
      evidence: { at: app.clock.now(), operation: 'submit', stage: 'sent', elapsedMs },
    }
  }
}

/** Nothing was sent: the database was away, or the time of the post was over. */
const notMade = (app: App, why: string): Unavailable => ({
  ...{ kind: 'unavailable', cure: 'wait', why, retryAfterSeconds: RETRY_SECONDS },
  evidence: { at: app.clock.now(), operation: 'submit', stage: 'gate', elapsedMs: 0 },
})

/** Sends a post that is marked as sending and has no caller who waits, and records the answer. */
export async function postAndRecord<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  posted: Posted<Row & AttemptFacts<Failure>>,
): Promise<void> {
  const { row, post, mark } = posted
  const heard = await submitPost(app, mover, { row, installation: post.installation, mark })
  await againWhileAway(() => record(app, mover, { posted, heard }), KEPT_MS)
}

type Answered<Row, Failure extends string> = {
  posted: Posted<Row & AttemptFacts<Failure>>
  heard: Submitted<Failure>
}

/** An answer to a repeated post is about that post only (rails.md 4.5). */
async function record<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  answered: Answered<Row, Failure>,
): Promise<void> {
  const { posted, heard } = answered
  const { row, post: sent, repeated } = posted
  // A repeated post does not restart the ladder of questions.
  const endedAt = repeated ? null : app.clock.now()
  switch (heard.kind) {
    case 'accepted':
      return write(app, mover, answered, [
        mover.publish(app, row, { acceptedBy: sent.installation }),
        moveAttempt(sent, 'accepted', endedAt),
      ])
    case 'ambiguous': {
      const kept = keptRefusal(mover, heard)
      const doubt = kept === null ? moveAttempt(sent, 'in_doubt', endedAt) : refusedCall(sent, kept, endedAt)
      return write(app, mover, answered, [mover.publish(app, row, { acceptedBy: null }), doubt])
    }
    case 'rejected':
      if (repeated)
        return write(app, mover, answered, [
          mover.publish(app, row, { acceptedBy: null }),
          refuseRepost(sent, heard.reason),
        ])
      await applyRefusal(app, mover, { row, post: sent, heard, reason: heard.reason, alongside: [] })
      return
    case 'unavailable':
      return write(app, mover, answered, mover.postNotTaken(app, posted, heard))
  }
}

/** A refusal of the first post waits for questions, and so does one of a repeated post. */
const refusedCall = (sent: Post, { reason }: Refused<string>, endedAt: Date | null): Call =>
  endedAt === null ? refuseRepost(sent, reason) : refuseInDoubt(sent, reason, endedAt)

/** The refusal in an unclear answer, if this noun keeps it. */
export const keptRefusal = <Row extends Movable, Failure extends string>(
  mover: Mover<Row, Failure>,
  { refused }: Extract<Submitted<Failure>, { kind: 'ambiguous' }>,
): Refused<Failure> | null => (refused !== undefined && mover.keepsRefusal(refused) ? refused : null)

/** The word under which an answer to a post is kept as evidence. */
export const wordFor = (heard: Submitted<string>): string =>
  heard.kind === 'ambiguous' && heard.refused !== undefined ? 'refused' : heard.kind

/**
 * Stores the evidence, and writes `news` if this post is the last one and no later answer was recorded. That the operator
 * took it counts for any post: it has the reference.
 */
async function write<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { posted: { row, post: sent }, heard }: Answered<Row, Failure>,
  news: readonly Call[],
): Promise<void> {
  const evidence = addEvidence(sent, wordFor(heard), heard.evidence)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockPosts(mover.noun, [row]))
    const counts = locked?.open === true && (heard.kind === 'accepted' || isCurrentPost(locked, sent.nth))
    return { value: null, last: [...(counts ? news : []), evidence] }
  })
}
