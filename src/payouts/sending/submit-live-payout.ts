import type { App } from '../../app.ts'
import type { Answer } from '../../http/caller.ts'
import { errorBody } from '../../http/errors.ts'
import { finishKey, freeKey, type KeyOwner } from '../../idempotency/keys.ts'
import { assert } from '../../platform/assert.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Call } from '../../platform/db/database.ts'
import { againWhileAway } from '../../platform/db/while-away.ts'
import { Refusal } from '../../platform/refusal.ts'
import { addEvidence, attemptNotTaken, moveAttempt } from '../../rails/attempts.ts'
import type { Attempt, Deadline, PayoutFailure, Submitted, Unavailable } from '../../rails/rail.ts'
import { movePayout } from '../move-payout.ts'
import { AMBIGUOUS, type Payout, presentPayout } from '../payout.ts'
import { payingRail } from '../payout-readiness.ts'
import { unavailableRail } from '../payout-rules.ts'
import { publishPayout } from '../write-payout-status.ts'
import { isCurrent, lockPosts } from './lock-posts.ts'

type Heard = Submitted<PayoutFailure>

/** A stored live payout, the contract that will carry it, and the key that waits for its answer. */
export type Submission = { payout: Payout; installation: string; owner: KeyOwner; requestId: string }

// The caller waits this long for the rail; the submit itself lives on to its own end (rails.md 3.8 rule 3).
const ANSWER_DEADLINE_MS = 5000
const SUBMIT_DEADLINE_MS = 25_000
/** For so long what the rail has said is kept, known to this process alone; a sweep that asks again comes later than this. */
export const KEPT_MS = 20_000

type Travelling = Pick<
  Payout,
  'id' | 'amount' | 'recipientPhone' | 'reference' | 'railReference' | 'createdAt'
> & {
  sandboxOutcome?: PayoutFailure | null
}

/** The attempt that carries this payout to its rail. */
export const payoutAttempt = (payout: Travelling, installation: string): Attempt => ({
  reference: payout.railReference,
  installation,
  publicId: payout.id,
  amount: payout.amount,
  currency: 'UGX',
  phone: payout.recipientPhone,
  note: payout.reference ?? '',
  createdAt: payout.createdAt,
  ...(payout.sandboxOutcome ? { sandboxOutcome: payout.sandboxOutcome } : {}),
})

/**
 * Asks the rail to pay a stored live payout, outside any transaction, and records the answer (rails.md 3.8). Answers 201,
 * or throws: 503 when nothing was taken and nothing remains, 400 (kept under the key) when the rail will not serve us.
 */
export async function submitLivePayout(app: App, work: Submission): Promise<Answer> {
  const state = { parked: false }
  crashPoint('payout.reserved')
  const submitted = askToPay(app, work.payout, work.installation).then((heard) =>
    againWhileAway(() => record(app, work, { heard, state }), KEPT_MS),
  )
  // A late answer is recorded whether or not the caller is still there.
  const late = submitted.catch((error) => {
    if (!(error instanceof Refusal))
      app.log.error(
        { err: error, object_id: work.payout.id },
        'recording a live submit failed; the sweep goes on',
      )
    throw error
  })
  return Promise.race([late, parkAfterDeadline(app, work, { state, submitted: late })])
}

/** One submit to the rail. A throw counts as ambiguous, because it is unknown how far the call got. */
export async function askToPay(app: App, payout: Payout, installation: string): Promise<Heard> {
  const rail = payingRail(app, payout.mode, payout.channel)
  assert(rail?.disburse, 'a stored payout has a rail')
  const deadline: Deadline = app.deadlineIn(SUBMIT_DEADLINE_MS)
  try {
    crashPoint('payout.rail-sent')
    const heard = await rail.disburse.submit(payoutAttempt(payout, installation), deadline)
    crashPoint('payout.rail-answered')
    return heard
  } catch (error) {
    app.log.error({ err: error, object_id: payout.id }, 'a rail threw')
    const evidence = {
      at: app.clock.now(),
      operation: 'submit' as const,
      stage: 'sent' as const,
      elapsedMs: 0,
    }
    return { kind: 'ambiguous', evidence }
  }
}

async function parkAfterDeadline(
  app: App,
  work: Submission,
  { state, submitted }: { state: { parked: boolean }; submitted: Promise<Answer> },
): Promise<Answer> {
  const answered = submitted.then(
    () => 'answered',
    () => 'answered',
  )
  if ((await Promise.race([answered, after(ANSWER_DEADLINE_MS)])) === 'answered') return submitted
  state.parked = true
  const parked = await publish(app, work, { to: 'in_doubt', submitEndedAt: null, evidence: [] })
  // It was taken back in the meantime: the caller gets that answer.
  return parked ?? submitted
}

async function record(
  app: App,
  work: Submission,
  { heard, state }: { heard: Heard; state: { parked: boolean } },
): Promise<Answer> {
  const evidence = [addEvidence(postOf(work), heard.kind, heard.evidence)]
  const submitEndedAt = app.clock.now()
  switch (heard.kind) {
    case 'accepted':
      return publishSurely(app, work, { to: 'accepted', submitEndedAt, evidence })
    case 'ambiguous':
      return publishSurely(app, work, { to: 'in_doubt', submitEndedAt, evidence })
    case 'rejected':
      return refuse(app, work, { evidence, reason: heard.reason })
    case 'unavailable': {
      // After its 201 the payout exists and is sent again until the rail accepts or refuses it (rails.md 3.8 rule 3).
      const shown = state.parked
        ? await publish(app, work, { to: 'not_taken', submitEndedAt, evidence })
        : null
      return shown ?? takeBack(app, work, { heard, evidence })
    }
  }
}

/** The 201 of a live payout: never a final state. */
function firstAnswer(payout: Payout, inDoubt: boolean): Answer & { objectId: string } {
  const seen = {
    ...payout,
    status: 'authorized' as const,
    failureReason: inDoubt ? (AMBIGUOUS as typeof AMBIGUOUS) : null,
  }
  return { status: 201, body: JSON.stringify(presentPayout(seen)), objectId: payout.id }
}

type Published = {
  to: 'accepted' | 'in_doubt' | 'not_taken'
  submitEndedAt: Date | null
  evidence: readonly Call[]
}

/** Shows the payout and stores the 201 under its key, on the locked row. Null when it was taken back before it was shown. */
async function publish(app: App, work: Submission, heard: Published): Promise<Answer | null> {
  const { payout, owner } = work
  const inDoubt = heard.to === 'in_doubt'
  const answer = firstAnswer(payout, inDoubt)
  return app.db.transactionFor<Answer | null>({ kind: 'outcome' }, async (tx) => {
    // The payout before its key, as movePayout takes them.
    const [[locked]] = await tx.send(lockPosts([payout]))
    if (locked?.voided) return { value: null }
    const counts = heard.to === 'accepted' || isCurrent(locked, FIRST_POST)
    const shown = counts ? [publishPayout(app, payout, inDoubt), attemptMove(work, heard)] : []
    return { value: answer, last: [...shown, finishKey(owner, answer), ...heard.evidence] }
  })
}

function attemptMove(work: Submission, { to, submitEndedAt }: Published): Call {
  if (to === 'not_taken') return attemptNotTaken(postOf(work), submitEndedAt ?? work.payout.createdAt)
  return moveAttempt(postOf(work), to, submitEndedAt)
}

/** As `publish`, after an answer that cannot lead to taking the payout back. */
async function publishSurely(app: App, work: Submission, heard: Published): Promise<Answer> {
  const answer = await publish(app, work, heard)
  assert(answer, 'only a submit that was not taken takes a payout back')
  return answer
}

/** Applies a definite refusal. If the payout was posted again since, the caller gets its 201 and that post decides. */
async function refuse(
  app: App,
  work: Submission,
  { evidence, reason }: { evidence: Call[]; reason: PayoutFailure },
): Promise<Answer> {
  const { payout, owner } = work
  const answer = firstAnswer(payout, false)
  const moved = await movePayout(app, {
    payout,
    to: { status: 'failed', reason },
    post: FIRST_POST,
    alongside: [finishKey(owner, answer), ...evidence, moveAttempt(postOf(work), 'ended', app.clock.now())],
  })
  if (moved !== 'overtaken') return answer
  const doubted = firstAnswer(payout, true)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(finishKey(owner, doubted), ...evidence)
    return { value: null }
  })
  return doubted
}

/** Takes the payout back: it was never shown, and the rail proved that it took nothing (3 j). */
async function takeBack(
  app: App,
  work: Submission,
  { heard, evidence }: { heard: Unavailable; evidence: Call[] },
): Promise<Answer> {
  const { payout, owner, requestId } = work
  const refusal = unavailableRail(heard)
  const kept = { status: refusal.status, body: errorBody(refusal, requestId) }
  const key = refusal.stored ? finishKey(owner, kept) : freeKey(owner)
  const at = app.clock.now()
  const moved = await movePayout(app, {
    payout,
    to: { status: 'voided' },
    alongside: [key, ...evidence, moveAttempt(postOf(work), 'void', at)],
  })
  // `same`: its own commit happened and the answer was lost. Otherwise it was shown in the meantime: it exists, and the
  // sweep sends it again.
  const answer =
    moved === 'shown' ? await publish(app, work, { to: 'not_taken', submitEndedAt: at, evidence }) : null
  if (answer !== null) return answer
  crashPoint('payout.returned')
  // A rate-limit place that is not given back does no harm; the refusal must reach the caller.
  if (refusal.status < 500)
    await app.exactWindows.payouts.giveBack(payout, payout.createdAt.getTime()).catch(() => {})
  if (refusal.stored) return { ...kept, objectId: null }
  throw refusal
}

// The submit of the request that created the payout is the first post of its attempt.
const FIRST_POST = 1

const postOf = ({ payout, installation }: Submission) => ({
  merchantId: payout.merchantId,
  reference: payout.railReference,
  installation,
  nth: FIRST_POST,
})

const after = (ms: number) => new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms).unref())
