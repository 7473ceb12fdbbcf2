import { agreeInOwnTransaction, findWithExceptions } from '../../payments/exceptions/agree-on-exceptions.ts'
import { type ExceptionKind, openInOwnTransaction } from '../../payments/exceptions/exception.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import type { App } from '../../program/app.ts'
import { addEvidence } from '../../rails/evidence.ts'
import { findDifferences, isEmptyDifference } from '../../rails/find-differences.ts'
import {
  claimLateReviews,
  claimReviews,
  claimSample,
  countAttemptsToReview,
  countNotFoundInReview,
  type FinishedAttempt,
  markReviewed,
} from '../../rails/following/review-attempts.ts'
import { findLiveRail, liveInstallations } from '../../rails/live-rails.ts'
import type { Attempt, StatusAnswer } from '../../rails/rail.ts'
import { emptyLeg, type Leg, sumLegs } from './leg.ts'
import { type OurMovement, readOurMovements, tagOfMovement } from './movements.ts'

const QUESTION_MS = 12_000
// One run asks about so many at most, and about so many at the same time.
const MAX_PER_RUN = 500
const QUESTIONS_AT_ONCE = 8
// A movement that the operator does not know counts as ours alone after so many reviews over a day.
const OURS_ONLY_AFTER = 3
const DAY_MS = 86_400_000
const BETWEEN_TRIES_MS = 200
const LEG = 'references' as const
const KINDS: readonly ExceptionKind[] = ['ours_only', 'mismatch', 'contradictory_answer']

/**
 * Leg 2: asks the operator once more about finished movements, and compares (rails.md 5.1). It uses the budget of questions that the
 * followers leave, and waits for it at most `patienceMs`.
 */
export async function reviewReferences(app: App, patienceMs: number): Promise<Leg> {
  const legs = await Promise.all(
    liveInstallations(app).map(({ id }) => reviewContract(app, id, performance.now() + patienceMs)),
  )
  return sumLegs('references', legs)
}

/** Counts the finished movements that were not reviewed yet. */
export async function countLeftToReview(app: App): Promise<number> {
  let left = 0
  for (const { id } of liveInstallations(app)) {
    const counting = countAttemptsToReview(id, app.clock.now())
    left += (await app.db.query(counting.statement, counting.values))[0]?.left ?? 0
  }
  return left
}

async function reviewContract(app: App, installation: string, until: number): Promise<Leg> {
  const leg = emptyLeg('references')
  while (leg.lookedAt < MAX_PER_RUN) {
    const count = await app.statusBudget.take(installation, QUESTIONS_AT_ONCE)
    if (count === 0) {
      if (performance.now() >= until) break
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))
      continue
    }
    const attempts = await claimAttempts(app, installation, count)
    await app.statusBudget.giveBack(installation, count - attempts.length)
    if (attempts.length === 0) break
    const counts = await reviewAll(app, installation, attempts)
    leg.agreed += counts.agreed
    leg.opened += counts.opened
    leg.closed += counts.closed
    leg.lookedAt += attempts.length
  }
  return leg
}

/** Claims movements that were not reviewed; when there are none, a sample of the others. */
async function claimAttempts(app: App, installation: string, most: number): Promise<FinishedAttempt[]> {
  for (const claim of [
    claimReviews(installation, app.clock.now(), most),
    claimLateReviews(installation, app.clock.now(), most),
    claimSample(installation, app.clock.now(), most),
  ]) {
    const attempts = await app.db.query(claim.statement, claim.values)
    if (attempts.length > 0) return attempts
  }
  return []
}

type ReviewResult = {
  attempt: FinishedAttempt
  ours: OurMovement
  verdict: ReviewVerdict
  status: StatusAnswer<string>
}

/** Reviews some movements at the same time, and marks what agreed in one statement: nearly all of them do. */
async function reviewAll(app: App, installation: string, attempts: readonly FinishedAttempt[]) {
  const oursById = await readOurMovements(app, attempts)
  const results = await Promise.all(
    attempts.map((attempt) => review(app, { installation, attempt, ours: oursById.get(attempt.subject) })),
  )
  const done = results.filter((result) => result !== null)
  const finding = findWithExceptions(
    done.map(({ ours }) => ours),
    LEG,
  )
  const known = new Set((await app.db.query(finding.statement, finding.values)).map(({ subject }) => subject))
  const counts = { agreed: 0, opened: 0, closed: 0 }
  for (const result of done) {
    const { opened, closed } = await applyVerdict(app, result, {
      installation,
      isKnown: known.has(result.ours.id),
    })
    counts.opened += opened
    counts.closed += closed
  }
  const agreed = done.filter(({ verdict }) => verdict.kind === 'agreed')
  const settled = done.filter(({ verdict }) => verdict.kind === 'agreed' || verdict.kind === 'break')
  const marking = markReviewed(
    settled.map(({ attempt }) => attempt),
    app.clock.now(),
  )
  await app.db.query(marking.statement, marking.values)
  return { ...counts, agreed: agreed.length }
}

type AttemptReviewInput = { installation: string; attempt: FinishedAttempt; ours: OurMovement | undefined }

async function review(app: App, { installation, attempt, ours }: AttemptReviewInput): Promise<ReviewResult | null> {
  const movement = findLiveRail(app, installation)?.[attempt.side]
  if (!ours || !movement) return null
  const asked = buildAttempt(ours, attempt, installation)
  const status: StatusAnswer<string> = await movement.status(asked, app.deadlineIn(QUESTION_MS))
  return { attempt, ours, status, verdict: judge(ours, attempt, { status, asked, nowMs: app.clock.nowMs() }) }
}

const buildAttempt = (ours: OurMovement, { reference }: FinishedAttempt, installation: string): Attempt => ({
  ...{ reference, installation, publicId: ours.id, amount: ours.amount, currency: 'UGX', phone: ours.phone },
  ...{ note: '', callbackPath: null, createdAt: ours.createdAt },
})

type ReviewVerdict =
  | { kind: 'agreed' }
  /** The operator gave no usable answer. */
  | { kind: 'silence' }
  | { kind: 'missed' }
  | { kind: 'break'; exception: ExceptionKind; details: Record<string, unknown> }

/** Compares our state with the operator's answer (rails.md 5.2). */
function judge(
  ours: OurMovement,
  attempt: Pick<FinishedAttempt, 'notFound' | 'notFoundAt'>,
  { status, asked, nowMs }: { status: StatusAnswer<string>; asked: Attempt; nowMs: number },
): ReviewVerdict {
  const moved = ours.says === 'succeeded'
  switch (status.kind) {
    case 'succeeded':
      if (!moved) return breakVerdict('late_contradiction', { we_say: ours.says, rail_said: 'succeeded' })
      return judgeSuccess(status, asked)
    case 'failed':
      if (moved) return breakVerdict('late_contradiction', { we_say: 'succeeded', rail_said: 'failed' })
      return { kind: 'agreed' }
    case 'not_found':
      return moved ? judgeAbsence(attempt, nowMs) : { kind: 'agreed' }
    case 'unknown':
      if (status.contradicts === undefined) return { kind: 'silence' }
      return breakVerdict('contradictory_answer', { says: status.contradicts })
    case 'pending':
      return { kind: 'silence' }
  }
}

const breakVerdict = (exception: ExceptionKind, details: Record<string, unknown>): ReviewVerdict => ({
  ...{ kind: 'break', exception, details },
})

type SuccessStatus = Extract<StatusAnswer<string>, { kind: 'succeeded' }>

/** Compares the fields that the operator repeats; a missing field says nothing. */
function judgeSuccess(status: SuccessStatus, asked: Attempt): ReviewVerdict {
  const differs = findDifferences(asked, status, [])
  if (isEmptyDifference(differs)) return { kind: 'agreed' }
  const { amount, currency, externalId, railTransactionId: number } = status
  return breakVerdict('mismatch', { amount, currency, external_id: externalId, number, differs })
}

function judgeAbsence(
  { notFound, notFoundAt }: Pick<FinishedAttempt, 'notFound' | 'notFoundAt'>,
  nowMs: number,
): ReviewVerdict {
  const longEnough = notFoundAt !== null && nowMs - notFoundAt.getTime() >= DAY_MS
  if (notFound + 1 >= OURS_ONLY_AFTER && longEnough)
    return breakVerdict('ours_only', { we_say: 'succeeded', rail_said: 'not found' })
  return { kind: 'missed' }
}

type ReviewCounts = { opened: number; closed: number }
const NO_COUNTS: ReviewCounts = { opened: 0, closed: 0 }

/**
 * Writes the verdict of one review. The operator's answer is stored where it differs from our state. `isKnown`: an agreement may close an
 * exception.
 */
async function applyVerdict(
  app: App,
  { ours, attempt, verdict, status }: ReviewResult,
  { installation, isKnown }: { installation: string; isKnown: boolean },
): Promise<ReviewCounts> {
  const at = app.clock.now()
  const about = { merchantId: ours.merchantId, mode: 'live', subject: ours.id } as const
  const evidence = () => addEvidence({ ...attempt, installation }, `review: ${status.kind}`, status.evidence)
  switch (verdict.kind) {
    case 'agreed':
      if (!isKnown) return NO_COUNTS
      return { opened: 0, closed: await agreeInOwnTransaction(app.db, about, { leg: LEG, kinds: KINDS, at }) }
    case 'silence':
      return NO_COUNTS
    case 'missed':
      await writeInTransaction(app.db, [countNotFoundInReview(attempt, at), evidence()])
      return NO_COUNTS
    case 'break': {
      const { exception: kind, details } = verdict
      const exception = { ...about, tag: tagOfMovement(ours.id) ?? '', kind, details, leg: LEG }
      const opened = await openInOwnTransaction(app.db, exception, { at, alongside: [evidence()] })
      return { opened: opened ? 1 : 0, closed: 0 }
    }
  }
}
