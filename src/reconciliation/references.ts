import type { App } from '../app.ts'
import { agreeAlone, withExceptions } from '../exceptions/agree.ts'
import { type ExceptionKind, openAlone } from '../exceptions/exception.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { addEvidence } from '../rails/attempts.ts'
import { differing, isSame } from '../rails/differing.ts'
import type { Attempt, Status } from '../rails/rail.ts'
import {
  claimLateReviews,
  claimReviews,
  claimSample,
  type EndedAttempt,
  leftToReview,
  notFoundInReview,
  reviewed,
} from '../rails/review-attempts.ts'
import { emptyLeg, type Leg, sumLegs } from './leg.ts'
import { type OurWord, ourWords, tagOfMovement } from './movements.ts'

const QUESTION_MS = 12_000
// One run asks about so many at most, and about so many at the same time.
const MOST_A_RUN = 500
const AT_ONCE = 8
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
  const contracts = app.rails.live.op1_momo?.installations ?? []
  const legs = await Promise.all(
    contracts.map(({ id }) => reviewContract(app, id, performance.now() + patienceMs)),
  )
  return sumLegs('references', legs)
}

/** Counts the finished movements that were not reviewed yet. */
export async function leftToLookAt(app: App): Promise<number> {
  let left = 0
  for (const { id } of app.rails.live.op1_momo?.installations ?? []) {
    const counting = leftToReview(id, app.clock.now())
    left += (await app.db.query(counting.statement, counting.values))[0]?.left ?? 0
  }
  return left
}

async function reviewContract(app: App, installation: string, until: number): Promise<Leg> {
  const leg = emptyLeg('references')
  while (leg.lookedAt < MOST_A_RUN) {
    const count = await app.statusBudget.take(installation, AT_ONCE)
    if (count === 0) {
      if (performance.now() >= until) break
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))
      continue
    }
    const attempts = await claimed(app, installation, count)
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
async function claimed(app: App, installation: string, most: number): Promise<EndedAttempt[]> {
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

type Reviewed = { attempt: EndedAttempt; ours: OurWord; verdict: Verdict; status: Status<string> }

/** Reviews some movements at the same time, and marks what agreed in one statement: nearly all of them do. */
async function reviewAll(app: App, installation: string, attempts: readonly EndedAttempt[]) {
  const oursById = await ourWords(app, attempts)
  const results = await Promise.all(
    attempts.map((attempt) => review(app, { installation, attempt, ours: oursById.get(attempt.subject) })),
  )
  const done = results.filter((result) => result !== null)
  const finding = withExceptions(
    done.map(({ ours }) => ours),
    LEG,
  )
  const known = new Set((await app.db.query(finding.statement, finding.values)).map(({ subject }) => subject))
  const counts = { agreed: 0, opened: 0, closed: 0 }
  for (const result of done) {
    const { opened, closed } = await apply(app, result, { installation, isKnown: known.has(result.ours.id) })
    counts.opened += opened
    counts.closed += closed
  }
  const agreed = done.filter(({ verdict }) => verdict.kind === 'agreed')
  const settled = done.filter(({ verdict }) => verdict.kind === 'agreed' || verdict.kind === 'break')
  const marking = reviewed(
    settled.map(({ attempt }) => attempt),
    app.clock.now(),
  )
  await app.db.query(marking.statement, marking.values)
  return { ...counts, agreed: agreed.length }
}

type Review = { installation: string; attempt: EndedAttempt; ours: OurWord | undefined }

async function review(app: App, { installation, attempt, ours }: Review): Promise<Reviewed | null> {
  const movement = app.rails.live.op1_momo?.[attempt.side]
  if (!ours || !movement) return null
  const asked = attemptOf(ours, attempt, installation)
  const status: Status<string> = await movement.status(asked, app.deadlineIn(QUESTION_MS))
  return { attempt, ours, status, verdict: judge(ours, attempt, { status, asked, nowMs: app.clock.nowMs() }) }
}

const attemptOf = (ours: OurWord, { reference }: EndedAttempt, installation: string): Attempt => ({
  ...{ reference, installation, publicId: ours.id, amount: ours.amount, currency: 'UGX', phone: ours.phone },
  ...{ note: '', callbackPath: null, createdAt: ours.createdAt },
})

type Verdict =
  | { kind: 'agreed' }
  /** The operator gave no usable answer. */
  | { kind: 'silence' }
  | { kind: 'missed' }
  | { kind: 'break'; exception: ExceptionKind; details: Record<string, unknown> }

/** Compares our state with the operator's answer (rails.md 5.2). */
function judge(
  ours: OurWord,
  attempt: Pick<EndedAttempt, 'notFound' | 'notFoundAt'>,
  { status, asked, nowMs }: { status: Status<string>; asked: Attempt; nowMs: number },
): Verdict {
  const moved = ours.says === 'succeeded'
  switch (status.kind) {
    case 'succeeded':
      if (!moved) return broken('late_contradiction', { we_say: ours.says, rail_said: 'succeeded' })
      return judgeSuccess(status, asked)
    case 'failed':
      if (moved) return broken('late_contradiction', { we_say: 'succeeded', rail_said: 'failed' })
      return { kind: 'agreed' }
    case 'not_found':
      return moved ? judgeAbsence(attempt, nowMs) : { kind: 'agreed' }
    case 'unknown':
      if (status.contradicts === undefined) return { kind: 'silence' }
      return broken('contradictory_answer', { says: status.contradicts })
    case 'pending':
      return { kind: 'silence' }
  }
}

const broken = (exception: ExceptionKind, details: Record<string, unknown>): Verdict => ({
  ...{ kind: 'break', exception, details },
})

type Success = Extract<Status<string>, { kind: 'succeeded' }>

/** Compares the fields that the operator repeats; a missing field says nothing. */
function judgeSuccess(status: Success, asked: Attempt): Verdict {
  const differs = differing(asked, status, [])
  if (isSame(differs)) return { kind: 'agreed' }
  const { amount, currency, externalId, railTransactionId: number } = status
  return broken('mismatch', { amount, currency, external_id: externalId, number, differs })
}

function judgeAbsence(
  { notFound, notFoundAt }: Pick<EndedAttempt, 'notFound' | 'notFoundAt'>,
  nowMs: number,
): Verdict {
  const longEnough = notFoundAt !== null && nowMs - notFoundAt.getTime() >= DAY_MS
  if (notFound + 1 >= OURS_ONLY_AFTER && longEnough)
    return broken('ours_only', { we_say: 'succeeded', rail_said: 'not found' })
  return { kind: 'missed' }
}

type Counted = { opened: number; closed: number }
const NOTHING: Counted = { opened: 0, closed: 0 }

/**
 * Writes the verdict of one review. The operator's answer is stored where it differs from our state. `isKnown`: an agreement may close an
 * exception.
 */
async function apply(
  app: App,
  { ours, attempt, verdict, status }: Reviewed,
  { installation, isKnown }: { installation: string; isKnown: boolean },
): Promise<Counted> {
  const at = app.clock.now()
  const about = { merchantId: ours.merchantId, mode: 'live', subject: ours.id } as const
  const evidence = () => addEvidence({ ...attempt, installation }, `review: ${status.kind}`, status.evidence)
  switch (verdict.kind) {
    case 'agreed':
      if (!isKnown) return NOTHING
      return { opened: 0, closed: await agreeAlone(app.db, about, { leg: LEG, kinds: KINDS, at }) }
    case 'silence':
      return NOTHING
    case 'missed':
      await writeAll(app.db, [notFoundInReview(attempt, at), evidence()])
      return NOTHING
    case 'break': {
      const { exception: kind, details } = verdict
      const exception = { ...about, tag: tagOfMovement(ours.id) ?? '', kind, details, leg: LEG }
      const opened = await openAlone(app.db, exception, { at, alongside: [evidence()] })
      return { opened: opened ? 1 : 0, closed: 0 }
    }
  }
}
