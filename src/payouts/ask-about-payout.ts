import type { App } from '../app.ts'
import { openException } from '../exceptions/exception.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/phone.ts'
import { addEvidence, countQuestion, moveAttempt } from '../rails/attempts.ts'
import { nextQuestionMs } from '../rails/follow-ladder.ts'
import type { Deadline, PayoutFailure, Status } from '../rails/rail.ts'
import { movePayout } from './move-payout.ts'
import { AMBIGUOUS } from './payout.ts'
import { payingRail } from './payout-readiness.ts'
import type { DuePayout } from './send-payouts.ts'
import { payoutAttempt } from './submit-live-payout.ts'

type Answered = Status<PayoutFailure>

// After this many "not found" over this long the operator has surely never had it, and the same reference goes out again.
const LOST_AFTER_QUESTIONS = 3
const LOST_AFTER_MS = 60_000
// When the same reference goes out again after the first time, counted from the post before (rails.md 4.5).
const MINUTE_MS = 60_000
const REPOST_WAITS_MS = [2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
const LATER_REPOST_MS = 60 * MINUTE_MS
// An operator may have forgotten a reference that is older: it is never posted again (rails.md 4.5).
const REPOST_UNTIL_MS = 24 * 3_600_000

// A payout whose submit nobody has heard the end of is shown from now on, with the reason that says so.
const ASK_AGAIN = statement(
  'ask about live payout again',
  `update payouts set follow_at = $3, status = 'authorized', published = true, failure_reason = coalesce($4, failure_reason)
   where merchant_id = $1 and id = $2 and follow_at is not null and status in ('pending', 'authorized')`,
)

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

/** Applies what the rail said: a conclusive answer through the one door, everything else as the next question. */
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
      // Not when the operator has said in between that it has one: then nothing but its own end of that one counts.
      if (payout.refusedAs !== null && payout.state === 'in_doubt')
        return endAsRefused(app, payout, answer, payout.refusedAs)
      return payout.mode === 'live' ? askAgain(app, payout, answer) : false
    case 'pending':
    case 'unknown':
      return payout.mode === 'live' ? askAgain(app, payout, answer) : false
  }
}

/** It refused a repeated post and knows of no other: nothing was ever taken. */
async function endAsRefused(
  app: App,
  payout: DuePayout,
  answer: Answered,
  reason: PayoutFailure,
): Promise<boolean> {
  const alongside = closing(app, payout, answer)
  await movePayout(app, { payout, to: { status: 'failed', reason }, alongside })
  return true
}

const referenceOf = ({ merchantId, railReference }: DuePayout) => ({ merchantId, reference: railReference })

/** A live attempt ends with its payout; a test movement has none. */
function closing(app: App, payout: DuePayout, answer: Answered): Call[] {
  if (payout.mode === 'test') return []
  const attempt = referenceOf(payout)
  return [moveAttempt(attempt, 'ended', app.clock.now()), addEvidence(attempt, answer.kind, answer.evidence)]
}

/** Money moves only when what the operator says it moved is what was asked for (rails.md 1.4, rule 6). */
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
  await app.db.transaction(async (tx) => {
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

async function askAgain(app: App, payout: DuePayout, answer: Answered): Promise<boolean> {
  const attempt = referenceOf(payout)
  const notFoundAt = answer.kind === 'not_found' ? app.clock.now() : null
  const lost = answer.kind === 'not_found' && isLost(app, payout)
  const state = lost ? 'not_sent' : answer.kind === 'pending' ? 'accepted' : stateInDoubt(payout)
  await app.db.transaction(async (tx) => {
    await tx.send(askLater(app, payout, lost))
    return {
      value: null,
      last: [countQuestion(attempt, state, notFoundAt), addEvidence(attempt, answer.kind, answer.evidence)],
    }
  })
  return true
}

const stateInDoubt = ({ state }: DuePayout) => (state === 'sending' ? 'in_doubt' : null)

/** Nobody knows whether it was taken, and the operator says again and again that it was not. */
function isLost(app: App, payout: DuePayout): boolean {
  const due = repostAt(payout)
  const now = app.clock.nowMs()
  return (
    payout.state === 'in_doubt' &&
    due !== null &&
    now >= due &&
    now < payout.createdAt.getTime() + REPOST_UNTIL_MS
  )
}

/** From when on a payout that is not found goes out again, in ms; null while it may not. */
function repostAt(payout: DuePayout): number | null {
  const { reposts, sendingSince, firstNotFoundAt, notFoundCount } = payout
  if (sendingSince === null) return null
  if (reposts > 0) return sendingSince.getTime() + (REPOST_WAITS_MS[reposts - 1] ?? LATER_REPOST_MS)
  if (firstNotFoundAt === null || notFoundCount + 1 < LOST_AFTER_QUESTIONS) return null
  return firstNotFoundAt.getTime() + LOST_AFTER_MS
}

function askLater(app: App, payout: DuePayout, atOnce = false): Call {
  const now = app.clock.nowMs()
  const ladder = nextQuestionMs((payout.submitEndedAt ?? payout.createdAt).getTime(), now)
  const repost = payout.state === 'in_doubt' ? repostAt(payout) : null
  const next = atOnce ? now : repost !== null && repost > now ? Math.min(ladder, repost) : ladder
  // Nobody has heard the end of its submit: from now on the merchant sees it, with the reason that says so.
  const reason = payout.state === 'sending' ? AMBIGUOUS : null
  return call(ASK_AGAIN, payout.merchantId, payout.id, new Date(next).toISOString(), reason)
}
