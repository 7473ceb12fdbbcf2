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
// One run asks about so many at most, and so many at once.
const MOST_A_RUN = 500
const AT_ONCE = 8
// What the operator does not know is ours alone after this many looks over this time.
const OURS_ONLY_AFTER = 3
const DAY_MS = 86_400_000
const BETWEEN_TRIES_MS = 200
const LEG = 'references' as const
const KINDS: readonly ExceptionKind[] = ['ours_only', 'mismatch', 'contradictory_answer']

/**
 * Leg 2: asks the operator about movements that have ended, once more, and compares (rails.md 5.1). What it takes from the
 * budget of questions is what the followers leave; it waits for that for at most `patienceMs`.
 */
export async function reviewReferences(app: App, patienceMs: number): Promise<Leg> {
  const contracts = app.rails.live.op1_momo?.installations ?? []
  const legs = await Promise.all(
    contracts.map(({ id }) => reviewContract(app, id, performance.now() + patienceMs)),
  )
  return sumLegs('references', legs)
}

/** How many were not looked at yet. */
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
    const found = await reviewAll(app, installation, attempts)
    leg.agreed += found.agreed
    leg.opened += found.opened
    leg.closed += found.closed
    leg.lookedAt += attempts.length
  }
  return leg
}

/** Those that nobody has looked at; when there are none, a sample of the others. */
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

type Reviewed = { attempt: EndedAttempt; word: OurWord; verdict: Verdict; status: Status<string> }

/** Asks about some at once and writes what agreed in one statement: nearly all of them do. */
async function reviewAll(app: App, installation: string, attempts: readonly EndedAttempt[]) {
  const ours = await ourWords(app, attempts)
  const all = await Promise.all(
    attempts.map((attempt) => review(app, { installation, attempt, word: ours.get(attempt.subject) })),
  )
  const done = all.filter((reviewed) => reviewed !== null)
  const looking = withExceptions(
    done.map(({ word }) => word),
    LEG,
  )
  const known = new Set((await app.db.query(looking.statement, looking.values)).map(({ subject }) => subject))
  const found = { agreed: 0, opened: 0, closed: 0 }
  for (const one of done) {
    const { opened, closed } = await apply(app, one, { installation, isKnown: known.has(one.word.id) })
    found.opened += opened
    found.closed += closed
  }
  const agreed = done.filter(({ verdict }) => verdict.kind === 'agreed')
  const settled = done.filter(({ verdict }) => verdict.kind === 'agreed' || verdict.kind === 'break')
  const marking = reviewed(
    settled.map(({ attempt }) => attempt),
    app.clock.now(),
  )
  await app.db.query(marking.statement, marking.values)
  return { ...found, agreed: agreed.length }
}

type Review = { installation: string; attempt: EndedAttempt; word: OurWord | undefined }

async function review(app: App, { installation, attempt, word }: Review): Promise<Reviewed | null> {
  const movement = app.rails.live.op1_momo?.[attempt.side]
  if (!word || !movement) return null
  const asked = attemptOf(word, attempt, installation)
  const status: Status<string> = await movement.status(asked, app.deadlineIn(QUESTION_MS))
  return { attempt, word, status, verdict: judge(word, attempt, { status, asked, nowMs: app.clock.nowMs() }) }
}

const attemptOf = (word: OurWord, { reference }: EndedAttempt, installation: string): Attempt => ({
  ...{ reference, installation, publicId: word.id, amount: word.amount, currency: 'UGX', phone: word.phone },
  ...{ note: '', callbackPath: null, createdAt: word.createdAt },
})

type Verdict =
  | { kind: 'agreed' }
  /** Nothing was heard that says anything. */
  | { kind: 'silence' }
  | { kind: 'missed' }
  | { kind: 'break'; exception: ExceptionKind; details: Record<string, unknown> }

/** Our word against the operator's (rails.md 5.2). */
function judge(
  word: OurWord,
  attempt: Pick<EndedAttempt, 'notFound' | 'notFoundAt'>,
  { status, asked, nowMs }: { status: Status<string>; asked: Attempt; nowMs: number },
): Verdict {
  const moved = word.says === 'succeeded'
  switch (status.kind) {
    case 'succeeded':
      if (!moved) return broken('late_contradiction', { we_say: word.says, rail_said: 'succeeded' })
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

/** Compares what the operator repeats; what it does not repeat says nothing. */
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

/** Writes what came of one look. What was heard is kept where it differs from what we say. `isKnown`: an agreement may close something. */
async function apply(
  app: App,
  { word, attempt, verdict, status }: Reviewed,
  { installation, isKnown }: { installation: string; isKnown: boolean },
): Promise<Counted> {
  const at = app.clock.now()
  const about = { merchantId: word.merchantId, mode: 'live', subject: word.id } as const
  const heard = () => addEvidence({ ...attempt, installation }, `review: ${status.kind}`, status.evidence)
  switch (verdict.kind) {
    case 'agreed':
      if (!isKnown) return NOTHING
      return { opened: 0, closed: await agreeAlone(app.db, about, { leg: LEG, kinds: KINDS, at }) }
    case 'silence':
      return NOTHING
    case 'missed':
      await writeAll(app.db, [notFoundInReview(attempt, at), heard()])
      return NOTHING
    case 'break': {
      const { exception: kind, details } = verdict
      const found = { ...about, tag: tagOfMovement(word.id) ?? '', kind, details, leg: LEG }
      const opened = await openAlone(app.db, found, { at, alongside: [heard()] })
      return { opened: opened ? 1 : 0, closed: 0 }
    }
  }
}
