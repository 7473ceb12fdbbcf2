import type { App } from '../../app.ts'
import { openException } from '../../exceptions/exception.ts'
import type { Call } from '../../platform/db/database.ts'
import { lastNine } from '../../platform/phone.ts'
import { type AttemptFacts, isRefusedRepost } from '../../rails/attempt-facts.ts'
import { addEvidence, countQuestion, moveAttempt } from '../../rails/attempts.ts'
import type { Deadline, PayoutFailure, Status } from '../../rails/rail.ts'
import { movePayout } from '../move-payout.ts'
import { AMBIGUOUS } from '../payout.ts'
import { payingRail } from '../payout-readiness.ts'
import { showAndAskAgain } from '../write-payout-status.ts'
import type { DuePayout } from './claim-payouts.ts'
import { lockPosts } from './lock-posts.ts'
import { isLost, nextQuestionAt } from './repost-times.ts'
import { payoutAttempt } from './submit-live-payout.ts'

type Answered = Status<PayoutFailure>

/** Asks the payout's rail for its status; null where there is no rail to ask. */
export async function askAbout(app: App, payout: DuePayout, deadline: Deadline): Promise<Answered | null> {
  const rail = payingRail(app, payout.mode, payout.channel)
  if (!rail?.disburse) return null
  return rail.disburse
    .status(payoutAttempt(payout, payout.installation), deadline)
    .catch((error): Answered => {
      app.log.error({ err: error, object_id: payout.id }, 'a rail threw on a status question')
      const evidence = {
        at: app.clock.now(),
        operation: 'status' as const,
        stage: 'sent' as const,
        elapsedMs: 0,
      }
      return { kind: 'unknown', evidence }
    })
}

/** Applies the rail's answer: a final one through `movePayout`, any other as the time of the next question. */
export async function applyAnswer(app: App, payout: DuePayout, answer: Answered): Promise<boolean> {
  switch (answer.kind) {
    case 'succeeded':
      if (!isAbout(payout, answer)) return reportMismatch(app, payout, answer)
      await movePayout(app, {
        payout,
        to: { status: 'succeeded', railTransactionId: answer.railTransactionId },
        alongside: closing(app, payout, answer),
      })
      return true
    case 'failed':
      await movePayout(app, {
        payout,
        to: { status: 'failed', reason: answer.reason },
        alongside: closing(app, payout, answer),
      })
      return true
    case 'not_found':
      if (payout.refusedAs !== null && isRefusedRepost(payout, app.clock.nowMs()))
        return endAsRefused(app, payout, answer, payout.refusedAs)
      return payout.mode === 'live' ? askAgain(app, payout, answer) : false
    case 'pending':
    case 'unknown':
      return payout.mode === 'live' ? askAgain(app, payout, answer) : false
  }
}

/** The operator took nothing: a repeated post was refused, and it knows no other. */
async function endAsRefused(
  app: App,
  payout: DuePayout,
  answer: Answered,
  reason: PayoutFailure,
): Promise<boolean> {
  const alongside = closing(app, payout, answer)
  const moved = await movePayout(app, {
    payout,
    to: { status: 'failed', reason },
    post: payout.nth,
    alongside,
  })
  return moved === 'overtaken' ? askAgain(app, payout, answer) : true
}

const referenceOf = ({ merchantId, railReference, installation }: DuePayout) => ({
  merchantId,
  reference: railReference,
  installation,
})

/** A live attempt ends with its payout; a test movement has none. */
function closing(app: App, payout: DuePayout, answer: Answered): Call[] {
  if (payout.mode === 'test') return []
  const attempt = referenceOf(payout)
  return [moveAttempt(attempt, 'ended', app.clock.now()), addEvidence(attempt, answer.kind, answer.evidence)]
}

/** Money moves only when the operator reports exactly what was requested (rails.md 1.4, rule 6). */
function isAbout(payout: DuePayout, answer: Extract<Answered, { kind: 'succeeded' }>): boolean {
  return (
    answer.amount === payout.amount &&
    answer.currency === 'UGX' &&
    lastNine(answer.phone) === lastNine(payout.recipientPhone) &&
    answer.externalId === payout.id
  )
}

async function reportMismatch(
  app: App,
  payout: DuePayout,
  answer: Extract<Answered, { kind: 'succeeded' }>,
): Promise<boolean> {
  const { merchantId, tag, mode, id: subject } = payout
  const details = { amount: answer.amount, currency: answer.currency, external_id: answer.externalId }
  const found = { merchantId, tag, mode, kind: 'rail_mismatch' as const, subject, details }
  app.log.error(
    { object_id: subject },
    'the rail reports another amount, party or reference than was asked for',
  )
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(askLater(app, payout))
    return {
      value: null,
      last: [
        ...openException(found, app.clock.now()),
        addEvidence(referenceOf(payout), 'mismatch', answer.evidence),
      ],
    }
  })
  return true
}

/**
 * Counts a question that ended nothing, on the locked row. A "not found" to a question from before the last post says
 * nothing about that post; that the operator has it always counts.
 */
async function askAgain(app: App, payout: DuePayout, answer: Answered): Promise<boolean> {
  const attempt = referenceOf(payout)
  const notFoundAt = answer.kind === 'not_found' ? app.clock.now() : null
  const evidence = addEvidence(attempt, answer.kind, answer.evidence)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockPosts([payout]))
    if (!locked?.open) return { value: null, last: [evidence] }
    const stale = locked.nth !== payout.nth || locked.state === 'not_sent'
    if (stale && answer.kind !== 'pending') return { value: null, last: [evidence] }
    const lost = answer.kind === 'not_found' && isLost({ ...payout, ...locked }, app.clock.nowMs())
    const state = lost ? 'not_sent' : answer.kind === 'pending' ? 'accepted' : stateInDoubt(locked)
    const next = askLater(app, { ...payout, ...locked }, { lost, notFound: notFoundAt !== null })
    return { value: null, last: [next, countQuestion(attempt, state, notFoundAt), evidence] }
  })
  return true
}

const stateInDoubt = ({ state }: AttemptFacts) => (state === 'sending' ? 'in_doubt' : null)

function askLater(
  app: App,
  payout: DuePayout,
  { lost, notFound }: { lost: boolean; notFound: boolean } = { lost: false, notFound: false },
): Call {
  const now = app.clock.nowMs()
  const next = lost ? now : nextQuestionAt(payout, now, notFound)
  // Its submit has no recorded end: from now on the merchant sees it, with the ambiguous reason.
  const reason = payout.state === 'sending' ? AMBIGUOUS : null
  return showAndAskAgain(payout, { at: new Date(next), reason })
}
