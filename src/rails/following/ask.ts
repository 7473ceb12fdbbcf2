import type { Call } from '../../platform/db/database.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { type AttemptState, isRefusedOnce } from '../attempt-facts.ts'
import { countHeard, countQuestion, endAttempt } from '../attempts.ts'
import { addCallbackEvidence, addEvidence } from '../evidence.ts'
import { findDifferences, isEmptyDifference } from '../find-differences.ts'
import { findRail } from '../find-rail.ts'
import { lockMovements } from '../lock-movements.ts'
import { buildPost, type Followed, type Movable, type Mover } from '../mover.ts'
import { failAsRefused } from '../posting/refuse.ts'
import { repostLost } from '../posting/repost.ts'
import { nextQuestionAt, repostTimesFor } from '../posting/repost-times.ts'
import { type Attempt, type CallDeadline, ECHOES, type Echo, type StatusAnswer } from '../rail.ts'
import { ladderFor } from './ladders.ts'

/** How long one question may take. */
export const QUESTION_DEADLINE_MS = 12_000

/** A movement to ask about. The callback runs when the operator has answered or the deadline has passed, before the answer is written. */
type Question<Row, Failure extends string> = {
  row: Followed<Row, Failure>
  deadline: CallDeadline
  onAnswer?(): void
  /** The callback that led to the question and is not stored yet. */
  heard?: HeardCallback
}

/** A callback that is stored by the commit that writes the answer to its question, which then sets `isStored`. */
export type HeardCallback = { at: Date; times: number; bodySha256: string | null; isStored: boolean }

/**
 * Asks the rail about one open movement that may have left, and applies its answer (rails.md section 4): a final one
 * through the mover, any other as the time of the next question. Returns whether anything was written.
 */
export function askAboutMovement<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, deadline, onAnswer = () => {}, heard }: Question<Row, Failure>,
): Promise<boolean> {
  // The operator refused the only post. The refusal is stored, but the process that received it could not apply it, or died.
  if (isRefusedOnce(row))
    return failAsRefused(app, mover, row, { holds: isRefusedOnce, alongside: [] }).then(returnTrue)
  const carrier = mover.findMovementRail(app, row)
  if (!carrier) return NOTHING_WRITTEN
  const attempt = mover.buildAttempt(row, row.installation)
  const applied = (answer: StatusAnswer<Failure>) => {
    onAnswer()
    if (heard !== undefined) crashPoint('charge.callback-confirmed')
    return applyAnswer(app, mover, { row, attempt, answer, heard })
  }
  const status = carrier.status(attempt, deadline)
  if (!(status instanceof Promise)) return applied(status)
  return status.catch((error) => unknownAfterThrow<Failure>(app, row, error)).then(applied)
}

const NOTHING_WRITTEN = Promise.resolve(false)
const returnTrue = () => true

/** A rail that throws has not answered, so the money may have moved. */
function unknownAfterThrow<Failure>(app: App, row: Movable, error: unknown): StatusAnswer<Failure> {
  app.log.error({ err: error, object_id: row.id }, 'a rail threw on a status question')
  const evidence = { at: app.clock.now(), operation: 'status', stage: 'sent', elapsedMs: 0 } as const
  return { kind: 'unknown', evidence }
}

type AnsweredQuestion<Row, Failure extends string> = {
  row: Followed<Row, Failure>
  attempt: Attempt
  answer: StatusAnswer<Failure>
  heard: HeardCallback | undefined
}

function applyAnswer<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  answered: AnsweredQuestion<Row, Failure>,
): Promise<boolean> {
  const { row, attempt, answer } = answered
  switch (answer.kind) {
    case 'succeeded': {
      // Money moves only when the operator reports exactly what was requested (rails.md 1.4, rule 6). Where it repeats nothing, it must
      // at least give a transaction number (rails.md 3.14).
      const { railTransactionId } = answer
      const echoes = requiredEchoes(app, row)
      const differs = findDifferences(attempt, answer, echoes)
      const identified = echoes.length > 0 || railTransactionId !== null
      if (!identified || !isEmptyDifference(differs)) return reportMismatch(app, mover, { row, answer, differs })
      const to = { status: 'succeeded', railTransactionId } as const
      return mover.finish(app, row, { to, alongside: finishAttempt(app, answered) }).then(returnTrue)
    }
    case 'failed': {
      const to = { status: 'failed', reason: answer.reason } as const
      return mover.finish(app, row, { to, alongside: finishAttempt(app, answered) }).then(returnTrue)
    }
    case 'not_found':
      return row.mode === 'live' ? applyNotFound(app, mover, answered) : NOTHING_WRITTEN
    case 'unknown':
      if (answer.contradicts !== undefined)
        return reportContradiction(app, mover, { answered, contradiction: answer.contradicts })
      return row.mode === 'live' ? keepAsking(app, mover, answered) : NOTHING_WRITTEN
    case 'pending':
      return row.mode === 'live' ? keepAsking(app, mover, answered) : NOTHING_WRITTEN
  }
}

const currentPost = (row: Followed<Movable, string>) => buildPost(row, row.installation, row.nth)

/** Finishes the live attempt of a movement, with the evidence; a test movement has no attempt. */
function finishAttempt<Row extends Movable, Failure extends string>(
  app: App,
  { row, answer, heard }: AnsweredQuestion<Row, Failure>,
): Call[] {
  if (row.mode === 'test') return []
  const attempt = currentPost(row)
  const at = app.clock.now()
  const questioned = { ...attempt, question: row.questionCount + 1 }
  const number = answer.kind === 'succeeded' ? answer.railTransactionId : null
  const evidence = addEvidence(questioned, answer.kind, answer.evidence, number)
  if (heard === undefined) return [endAttempt(attempt, { at, submitEndedAt: at }), evidence]
  heard.isStored = true
  return [endAttempt(attempt, { at, submitEndedAt: at, heard }), addCallbackEvidence(attempt, heard), evidence]
}

type SuccessAnswer = Extract<StatusAnswer<string>, { kind: 'succeeded' }>

/** What the installation must repeat in its answers: everything, where the settings lack the installation. */
const requiredEchoes = (app: App, row: Followed<Movable, string>): readonly Echo[] =>
  findRail(app, row)?.installations.find(({ id }) => id === row.installation)?.echoes ?? ECHOES

async function reportMismatch<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, answer, differs }: { row: Followed<Row, Failure>; answer: SuccessAnswer; differs: object },
): Promise<boolean> {
  const { merchantId, tag, mode, id: subject } = row
  const now = app.clock.now()
  const { amount, currency, externalId, railTransactionId: number } = answer
  const details = { amount, currency, external_id: externalId, number, differs }
  app.log.error({ object_id: subject }, 'the rail reports another amount, party or reference than was asked for')
  const next = nextQuestionAt(repostTimesFor(app, mover, row), row, {
    ladder: ladderFor(app, row),
    nowMs: now.getTime(),
    notFound: false,
  })
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(mover.setNextQuestion(row, new Date(next), row.state === 'sending'))
    const opened = mover.openException({ merchantId, tag, mode, kind: 'mismatch', subject, details }, now)
    return { value: null, last: [...opened, addEvidence(currentPost(row), 'mismatch', answer.evidence)] }
  })
  return true
}

/** Opens an exception for an answer that contradicts itself, so that a person looks at it, and goes on asking. */
async function reportContradiction<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { answered, contradiction }: { answered: AnsweredQuestion<Row, Failure>; contradiction: string },
): Promise<boolean> {
  const { merchantId, tag, mode, id: subject } = answered.row
  const details = { says: contradiction }
  const exception = { merchantId, tag, mode, kind: 'contradictory_answer', subject, details } as const
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(lockMovements(mover.noun, [answered.row]))
    return { value: null, last: mover.openException(exception, app.clock.now()) }
  })
  return keepAsking(app, mover, answered)
}

/**
 * Applies "not found", which finishes nothing by itself: a movement whose refusal it confirms fails, a lost one is posted again, any
 * other waits.
 */
async function applyNotFound<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  answered: AnsweredQuestion<Row, Failure>,
): Promise<boolean> {
  const { row, answer } = answered
  const nowMs = app.clock.nowMs()
  const reposts = repostTimesFor(app, mover, row)
  if (reposts.isRefused(row, nowMs)) {
    const alongside = [addEvidence(currentPost(row), answer.kind, answer.evidence)]
    const result = await failAsRefused(app, mover, row, {
      holds: (locked) => reposts.isRefused(locked, nowMs),
      alongside,
    })
    if (result !== 'overtaken') return true
  }
  if (reposts.isLost(row, nowMs) && (await repostLost(app, mover, { row, notFound: answer.evidence }))) return true
  return keepAsking(app, mover, answered)
}

/**
 * Counts a question that finished nothing, on the locked row, and sets the next one. An answer to a question from before the last post
 * says nothing about that post; only "pending" counts in any case, because then the operator has the reference.
 */
async function keepAsking<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, answer, heard }: AnsweredQuestion<Row, Failure>,
): Promise<boolean> {
  const now = app.clock.now()
  const attempt = currentPost(row)
  const heardCalls = heard === undefined ? [] : [countHeard(attempt, heard), addCallbackEvidence(attempt, heard)]
  const notFound = answer.kind === 'not_found'
  const evidence = addEvidence({ ...attempt, question: row.questionCount + 1 }, answer.kind, answer.evidence)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockMovements<Failure>(mover.noun, [row]))
    if (heard !== undefined) heard.isStored = true
    if (!locked?.open) return { value: null, last: [...heardCalls, evidence] }
    const stale = locked.nth !== row.nth || locked.state === 'not_sent'
    if (stale && answer.kind !== 'pending') return { value: null, last: [...heardCalls, evidence] }
    const unheard = locked.state === 'sending'
    const state = answer.kind === 'pending' ? 'accepted' : unheard ? 'in_doubt' : locked.state
    const callbackSeenAt = heard?.at ?? locked.callbackSeenAt
    const current = { ...row, ...locked, state: state satisfies AttemptState, callbackSeenAt }
    const next = nextQuestionAt(repostTimesFor(app, mover, current), current, {
      ladder: ladderFor(app, current),
      nowMs: now.getTime(),
      notFound,
    })
    const newState = state === locked.state ? null : state
    return {
      value: null,
      last: [
        mover.setNextQuestion(row, new Date(next), unheard),
        countQuestion(attempt, newState, { at: now, notFoundAt: notFound ? now : null, answer: answer.kind }),
        ...heardCalls,
        // Equal answers in a row are stored once.
        ...(answer.kind === 'pending' && locked.lastAnswer === 'pending' ? [] : [evidence]),
      ],
    }
  })
  return true
}
