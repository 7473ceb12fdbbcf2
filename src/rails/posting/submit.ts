import type { Answer } from '../../api/http/answer.ts'
import { findAnswerForObject, finishKey, type RunningKey } from '../../api/idempotency/keys.ts'
import { assert } from '../../platform/assert.ts'
import type { Call } from '../../platform/db/database.ts'
import { retryWhileAway } from '../../platform/db/retry-while-away.ts'
import type { TimeSpent } from '../../platform/log/spent.ts'
import { Refusal, TooBusy } from '../../platform/refusal.ts'
import type { Moment } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { isCurrentPost } from '../attempt-facts.ts'
import { attemptNotTaken, moveAttempt, refuseInDoubt } from '../attempts.ts'
import { addEvidence } from '../evidence.ts'
import { firstQuestionAt } from '../following/ladders.ts'
import { buildAcceptedPost, keepOwnPost, type OwnPost } from '../following/own-posts.ts'
import type { LockedMovement } from '../lock-movements.ts'
import { buildPost, type Movable, type Mover } from '../mover.ts'
import type { OperatorRefusal, SubmitAnswer, Unavailable } from '../rail.ts'
import { ANSWER_KEPT_MS, evidenceAnswer, keptRefusal, submitPost } from './post.ts'
import { recordPost } from './record-posts.ts'
import { applyRefusal } from './refuse.ts'

/**
 * A stored live movement whose caller waits. `mark` is when it was marked as sending, `installation` will carry it, and `owner` is the
 * key that waits for its answer: null where no key does. That of a charge has it already.
 */
export type Submission<Row extends Movable, Failure extends string> = {
  mover: Mover<Row, Failure>
  row: Row
  mark: Moment
  installation: string
  owner: RunningKey | null
  /** Counts the time that the waiting request has spent; null where no request is measured. */
  spent: TimeSpent | null
  /** Makes the 201, never with a final state (G11a, G14c). `inDoubt`: the operator may have taken it. */
  firstAnswer(inDoubt: boolean): FirstAnswer
  /** Whether its caller waits however long the rail takes, because its process ends with it. */
  untilAnswered?: boolean
  /** Handles the proof that the operator took nothing. `parked`: the caller has its 201 already, so the movement exists. */
  refuseNotTaken(app: App, heard: Unavailable, parked: boolean): Promise<Answer>
}
type FirstAnswer = Answer & { objectId: string }

// The number of the post that the request which created the movement submits.
const FIRST_POST_NUMBER = 1
// The caller waits this long for the rail; the submit itself goes on to its own end (rails.md 3.8 rule 3).
const ANSWER_DEADLINE_MS = 5000

/**
 * Asks the rail to carry a stored live movement, outside any transaction, and records the answer (rails.md 3.8). Returns the 201, or
 * what the handler of `unavailable` returns or throws.
 */
export async function submitMovement<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
): Promise<Answer> {
  const caller = { parked: false }
  const own = keepOwnPost(app, work.mover.noun, work.row)
  // Until the answer is recorded, only this process knows it.
  const submitted = submitPost(app, work.mover, work).then((heard) => {
    if (work.spent !== null) {
      work.spent.railMs += heard.evidence.elapsedMs
      work.spent.railClass = heard.kind
    }
    return recordAndKeep(app, work, { heard, caller, own })
  })
  // A late answer is recorded whether or not the caller is still there.
  const late = submitted.catch((error) => {
    own.leave()
    if (!(error instanceof Refusal) || error instanceof TooBusy)
      app.log.error({ err: error, object_id: work.row.id }, 'recording a live submit failed; the sweep goes on')
    throw error
  })
  if (work.untilAnswered) return late
  const parkLate = async () => {
    if (await isAnswered(late)) return late
    caller.parked = true
    own.leave()
    // Null when it was taken back in the meantime; then the caller gets the answer of that.
    return (await publishMovement(app, work, { to: 'in_doubt', submitEndedAt: null, evidence: [] })) ?? late
  }
  return Promise.race([late, parkLate()])
}

type HeardFirst<Failure extends string> = { heard: SubmitAnswer<Failure>; caller: { parked: boolean }; own: OwnPost }

/** Records the answer. A charge that was accepted stays with this process, which hears of its end first; any other leaves it. */
async function recordAndKeep<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  { heard, caller, own }: HeardFirst<Failure>,
): Promise<Answer> {
  const sinceMs = app.clock.nowMs()
  const kept = { accepted: false }
  try {
    const record = () => recordFirstAnswer(app, work, { heard, parked: caller.parked })
    const answer = await retryWhileAway(record, ANSWER_KEPT_MS)
    kept.accepted = heard.kind === 'accepted' && !caller.parked
    if (kept.accepted) own.accepted(buildAcceptedPost(app, work, { nth: FIRST_POST_NUMBER, sinceMs }))
    return answer
  } finally {
    if (!kept.accepted) own.leave()
  }
}

const isAnswered = (submitted: Promise<Answer>): Promise<boolean> =>
  Promise.race([
    submitted.then(
      () => true,
      () => true,
    ),
    new Promise<false>((resolve) => setTimeout(() => resolve(false), ANSWER_DEADLINE_MS).unref()),
  ])

async function recordFirstAnswer<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  { heard, parked }: { heard: SubmitAnswer<Failure>; parked: boolean },
): Promise<Answer> {
  switch (heard.kind) {
    case 'accepted':
      return publishOrAssert(app, work, buildNews(app, work, { to: 'accepted', heard }))
    case 'ambiguous':
      return publishOrAssert(app, work, {
        ...buildNews(app, work, { to: 'in_doubt', heard }),
        refused: keptRefusal(work.mover, heard),
      })
    case 'rejected':
      return refuseMovement(app, work, { heard, reason: heard.reason })
    case 'unavailable':
      return work.refuseNotTaken(app, heard, parked)
  }
}

type PostNews = {
  to: 'accepted' | 'in_doubt' | 'not_taken'
  /** Null while the submit runs, or when its end is recorded already. */
  submitEndedAt: Date | null
  evidence: readonly Call[]
  /** A refusal that questions must confirm. */
  refused?: OperatorRefusal<string> | null
}

/** Builds what the answer to the first post changes, with its evidence. */
export const buildNews = <Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  { to, heard }: { to: PostNews['to']; heard: SubmitAnswer<Failure> },
): PostNews => ({
  to,
  submitEndedAt: app.clock.now(),
  evidence: [addEvidence(firstPost(work), evidenceAnswer(heard), heard.evidence)],
})

/** Returns the post of the request that created the movement. */
export const firstPost = <Row extends Movable, Failure extends string>({
  row,
  installation,
}: Submission<Row, Failure>) => buildPost(row, installation, FIRST_POST_NUMBER)

/** Applies a definite refusal. If another answer counts by now, the caller gets the 201 and that answer decides. */
export async function refuseMovement<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  refusal: {
    heard: Extract<SubmitAnswer<Failure>, { kind: 'rejected' | 'unavailable' }>
    reason: Failure
    undo?: () => Promise<void>
  },
): Promise<Answer> {
  const answer = work.firstAnswer(false)
  const alongside = finishKeyCalls(work, answer)
  const result = await applyRefusal(app, work.mover, {
    ...refusal,
    row: work.row,
    post: firstPost(work),
    alongside,
  })
  if (result !== 'overtaken')
    return (work.owner === null ? null : await findAnswerForObject(app.db, work.owner)) ?? answer
  return publishOrAssert(app, work, { to: 'in_doubt', submitEndedAt: null, evidence: [] })
}

const finishKeyCalls = <Row extends Movable, Failure extends string>(
  { owner }: Submission<Row, Failure>,
  answer: FirstAnswer,
): Call[] => (owner === null ? [] : [finishKey(owner, answer)])

/**
 * Shows the movement and stores the 201 under its key, on the locked row. Returns null when it was taken back before it was shown:
 * its key may already belong to the next request.
 */
export async function publishMovement<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  news: PostNews,
): Promise<Answer | null> {
  const { mover, row, owner } = work
  const inDoubt = news.to === 'in_doubt'
  return recordPost(app, {
    ...{ noun: mover.noun, row, owner, answer: work.firstAnswer(inDoubt), evidence: news.evidence },
    acceptance: plainAcceptance(app, work, news),
    // True when an earlier try was committed and the answer to its COMMIT was lost: the evidence is stored already.
    isRecorded: (locked) => isRecorded(locked, news),
    movementWrites(locked) {
      if (news.to !== 'accepted' && !isCurrentPost(locked, FIRST_POST_NUMBER)) return []
      const acceptedBy = inDoubt ? null : work.installation
      const calledBack = locked.callbackSeenAt !== null
      return [mover.publish(app, row, { acceptedBy, calledBack }), attemptMove(work, news)]
    },
  })
}

function plainAcceptance<Row extends Movable, Failure extends string>(
  app: App,
  { mover, row, installation }: Submission<Row, Failure>,
  { to, submitEndedAt }: PostNews,
): Parameters<typeof recordPost>[1]['acceptance'] {
  const { publishNew } = mover
  if (to !== 'accepted' || submitEndedAt === null || publishNew === undefined || row.railReference === null) return null
  const followAt = () => firstQuestionAt(app, { acceptedBy: installation })
  return { reference: row.railReference, submitEndedAt, followAt, publishNew }
}

const isRecorded = ({ open, nth, submitEndedAt }: LockedMovement<string>, news: PostNews): boolean =>
  news.submitEndedAt !== null && open && nth === FIRST_POST_NUMBER && submitEndedAt !== null

function attemptMove<Row extends Movable, Failure extends string>(
  work: Submission<Row, Failure>,
  { to, submitEndedAt, refused }: PostNews,
): Call {
  if (refused && submitEndedAt !== null) return refuseInDoubt(firstPost(work), refused.reason, submitEndedAt)
  if (to === 'not_taken') return attemptNotTaken(firstPost(work), submitEndedAt ?? work.row.createdAt)
  return moveAttempt(firstPost(work), to, submitEndedAt)
}

/** Shows the movement like publishMovement, after an answer that cannot lead to taking it back. */
async function publishOrAssert<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  news: PostNews,
): Promise<Answer> {
  const answer = await publishMovement(app, work, news)
  assert(answer, 'only a submit that was not taken takes a movement back')
  return answer
}
