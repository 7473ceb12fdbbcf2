import type { App } from '../app.ts'
import { assert } from '../platform/assert.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import type { Answer } from '../platform/http/caller.ts'
import { errorBody } from '../platform/http/errors.ts'
import { finishKey, freeKey, type KeyOwner } from '../platform/idempotency/keys.ts'
import { Refusal } from '../platform/refusal.ts'
import { type AttemptState, addEvidence, moveAttempt } from '../rails/attempts.ts'
import type { Attempt, Deadline, PayoutFailure, Submitted, Unavailable } from '../rails/rail.ts'
import { movePayout } from './move-payout.ts'
import { AMBIGUOUS, type Payout, presentPayout } from './payout.ts'
import { payingRail } from './payout-readiness.ts'
import { unavailableRail } from './payout-rules.ts'

type Heard = Submitted<PayoutFailure>

/** A stored live payout, the contract that will carry it, and the key that waits for its answer. */
export type Submission = { payout: Payout; installation: string; owner: KeyOwner; requestId: string }

// The caller waits this long for the rail; the submit itself lives on to its own end (rails.md 3.8 rule 3).
const ANSWER_DEADLINE_MS = 5000
const SUBMIT_DEADLINE_MS = 25_000
const FIRST_QUESTION_MS = 5000
// What the rail has said is known to this process alone; a sweep that asks again comes later than this.
const KEPT_MS = 20_000

const PUBLISH = statement<{ id: string }>(
  'publish live payout',
  `update payouts set status = 'authorized', published = true, follow_at = $3, failure_reason = $4
   where merchant_id = $1 and id = $2 and status in ('pending', 'authorized') and voided_at is null returning id`,
)

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

/** Shows the payout as `authorized`: the rail took it, or (with the ambiguous reason) may have taken it. */
export const publishPayout = (
  app: App,
  payout: Pick<Payout, 'merchantId' | 'id'>,
  inDoubt: boolean,
): Call<{ id: string }> =>
  call(
    PUBLISH,
    payout.merchantId,
    payout.id,
    new Date(app.clock.nowMs() + FIRST_QUESTION_MS).toISOString(),
    inDoubt ? AMBIGUOUS : null,
  )

/**
 * Asks the rail to pay a stored live payout, outside any transaction, and records what it said (rails.md 3.8). Answers 201,
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

/** One submit to the rail. A throw is ambiguous: nobody can say how far it got. */
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
  return publish(app, work, { attempt: 'in_doubt', submitEndedAt: null, evidence: [] })
}

async function record(
  app: App,
  work: Submission,
  { heard, state }: { heard: Heard; state: { parked: boolean } },
): Promise<Answer> {
  const attempt = attemptOf(work.payout)
  const evidence = [addEvidence(attempt, heard.kind, heard.evidence)]
  const now = app.clock.now()
  switch (heard.kind) {
    case 'accepted':
      return publish(app, work, { attempt: 'accepted', submitEndedAt: now, evidence })
    case 'ambiguous':
      return publish(app, work, { attempt: 'in_doubt', submitEndedAt: now, evidence })
    case 'rejected':
      return refuse(app, work, [...evidence, moveAttempt(attempt, 'ended', now)], heard.reason)
    case 'unavailable':
      if (!state.parked) return takeBack(app, work, { heard, evidence })
      // The caller has its 201: the payout exists and is sent again until the rail takes or refuses it (3.8 rule 3).
      return publish(app, work, { attempt: 'not_sent', submitEndedAt: now, evidence })
  }
}

/** The 201 that a live payout gets, whatever comes after: never final. */
function firstAnswer(payout: Payout, inDoubt: boolean): Answer & { objectId: string } {
  const seen = {
    ...payout,
    status: 'authorized' as const,
    failureReason: inDoubt ? (AMBIGUOUS as typeof AMBIGUOUS) : null,
  }
  return { status: 201, body: JSON.stringify(presentPayout(seen)), objectId: payout.id }
}

async function publish(
  app: App,
  { payout, owner }: Submission,
  heard: { attempt: AttemptState; submitEndedAt: Date | null; evidence: readonly Call[] },
): Promise<Answer> {
  const inDoubt = heard.attempt === 'in_doubt'
  const answer = firstAnswer(payout, inDoubt)
  await app.db.transaction(async (tx) => {
    // The payout before its key, as movePayout takes them.
    await tx.send(publishPayout(app, payout, inDoubt), finishKey(owner, answer))
    return {
      value: null,
      last: [moveAttempt(attemptOf(payout), heard.attempt, heard.submitEndedAt), ...heard.evidence],
    }
  })
  return answer
}

async function refuse(
  app: App,
  { payout, owner }: Submission,
  alongside: Call[],
  reason: PayoutFailure,
): Promise<Answer> {
  const answer = firstAnswer(payout, false)
  await movePayout(app, {
    payout,
    to: { status: 'failed', reason },
    alongside: [finishKey(owner, answer), ...alongside],
  })
  return answer
}

/** Takes the reservation back: nobody has seen the payout, and the rail proved that it took nothing (3 j). */
async function takeBack(
  app: App,
  work: Submission,
  { heard, evidence }: { heard: Unavailable; evidence: Call[] },
): Promise<Answer> {
  const { payout, owner, requestId } = work
  const refusal = unavailableRail(heard)
  const kept = { status: refusal.status, body: errorBody(refusal, requestId) }
  const key = refusal.stored ? finishKey(owner, kept) : freeKey(owner)
  const place = refusal.status < 500 ? app.payoutWindow.giveBack(payout, payout.createdAt.getTime()) : []
  const moved = await movePayout(app, {
    payout,
    to: { status: 'voided' },
    alongside: [key, ...place, ...evidence, moveAttempt(attemptOf(payout), 'void', app.clock.now())],
  })
  // Somebody showed it in this very moment: it exists, and the sweep sends it again.
  if (moved !== 'moved')
    return publish(app, work, { attempt: 'not_sent', submitEndedAt: app.clock.now(), evidence })
  crashPoint('payout.returned')
  if (refusal.stored) return { ...kept, objectId: null }
  throw refusal
}

const attemptOf = (payout: Pick<Payout, 'merchantId' | 'railReference'>) => ({
  merchantId: payout.merchantId,
  reference: payout.railReference,
})

const after = (ms: number) => new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms).unref())
