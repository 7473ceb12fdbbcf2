import type { App } from '../app.ts'
import { agreeOn } from '../exceptions/agree.ts'
import { type ExceptionKind, openException } from '../exceptions/exception.ts'
import type { Call } from '../platform/db/database.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { lastNine } from '../platform/phone.ts'
import { addEvidence } from '../rails/attempts.ts'
import type { Attempt, Status } from '../rails/rail.ts'
import {
  claimReviews,
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

async function reviewContract(app: App, installation: string, until: number): Promise<Leg> {
  const leg = emptyLeg('references')
  while (leg.lookedAt < MOST_A_RUN) {
    const count = await app.statusBudget.take(installation, AT_ONCE)
    if (count === 0) {
      if (performance.now() >= until) break
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS))
      continue
    }
    const claim = claimReviews(installation, app.clock.now(), count)
    const attempts = await app.db.query(claim.statement, claim.values)
    await app.statusBudget.giveBack(installation, count - attempts.length)
    if (attempts.length === 0) break
    const ours = await ourWords(app, attempts)
    for (const one of await Promise.all(
      attempts.map((attempt) => review(app, { installation, attempt, ours })),
    ))
      Object.assign(leg, { agreed: leg.agreed + one.agreed, opened: leg.opened + one.opened })
    leg.lookedAt += attempts.length
  }
  const counting = leftToReview(installation, app.clock.now())
  const [rest] = await app.db.query(counting.statement, counting.values)
  return { ...leg, left: rest?.left ?? 0 }
}

type Review = { installation: string; attempt: EndedAttempt; ours: ReadonlyMap<string, OurWord> }
type Found = { agreed: number; opened: number }

async function review(app: App, { installation, attempt, ours }: Review): Promise<Found> {
  const word = ours.get(attempt.subject)
  const movement = app.rails.live.op1_momo?.[attempt.side]
  if (!word || !movement) return { agreed: 0, opened: 0 }
  const asked = attemptOf(word, attempt, installation)
  const status: Status<string> = await movement.status(asked, app.deadlineIn(QUESTION_MS))
  const verdict = judge(word, attempt, { status, asked, nowMs: app.clock.nowMs() })
  const writes = [...writesFor(app, { word, attempt, verdict }), ...evidenceOf(attempt, installation, status)]
  await writeAll(app.db, writes)
  return { agreed: verdict.kind === 'agreed' ? 1 : 0, opened: verdict.kind === 'break' ? 1 : 0 }
}

const attemptOf = (word: OurWord, { reference }: EndedAttempt, installation: string): Attempt => ({
  ...{ reference, installation, publicId: word.id, amount: word.amount, currency: 'UGX', phone: word.phone },
  ...{ note: '', callbackPath: null, createdAt: word.createdAt },
})

/** What was heard is kept where it says something about the movement. */
const evidenceOf = (
  { merchantId, reference }: EndedAttempt,
  installation: string,
  { kind, evidence }: Status<string>,
) =>
  kind === 'unknown'
    ? []
    : [addEvidence({ merchantId, reference, installation }, `review: ${kind}`, evidence)]

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
      return agrees(status, asked) ? { kind: 'agreed' } : broken('mismatch', factsOf(status))
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
const agrees = ({ amount, currency, phone, externalId }: Success, asked: Attempt): boolean =>
  (amount === null || amount === asked.amount) &&
  (currency === null || currency === asked.currency) &&
  (phone === null || lastNine(phone) === lastNine(asked.phone)) &&
  (externalId === null || externalId === asked.publicId)

const factsOf = ({ amount, currency, externalId }: Success) => ({ amount, currency, external_id: externalId })

function judgeAbsence(
  { notFound, notFoundAt }: Pick<EndedAttempt, 'notFound' | 'notFoundAt'>,
  nowMs: number,
): Verdict {
  const longEnough = notFoundAt !== null && nowMs - notFoundAt.getTime() >= DAY_MS
  if (notFound + 1 >= OURS_ONLY_AFTER && longEnough)
    return broken('ours_only', { we_say: 'succeeded', rail_said: 'not found' })
  return { kind: 'missed' }
}

function writesFor(
  app: App,
  { word, attempt, verdict }: { word: OurWord; attempt: EndedAttempt; verdict: Verdict },
): Call[] {
  const at = app.clock.now()
  const about = { merchantId: word.merchantId, mode: 'live', subject: word.id } as const
  switch (verdict.kind) {
    case 'agreed':
      return [...agreeOn(about, KINDS, at), reviewed(attempt, at)]
    case 'silence':
      return []
    case 'missed':
      return [notFoundInReview(attempt, at)]
    case 'break': {
      const { exception: kind, details } = verdict
      const found = { ...about, tag: tagOfMovement(word.id) ?? '', kind, details }
      return [...openException(found, at), reviewed(attempt, at)]
    }
  }
}
