import { lockHeads } from '../../../ledger/book.ts'
import { lockPayoutStop } from '../../../merchants/account/payout-freeze.ts'
import type { Call } from '../../../platform/db/database.ts'
import { retryWhileAway } from '../../../platform/db/retry-while-away.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { type Moment, momentAt } from '../../../platform/time/moment.ts'
import type { App } from '../../../program/app.ts'
import { countQuestion, moveAttempt, type Post, sendAttempt } from '../../../rails/attempts.ts'
import { ladderFor } from '../../../rails/following/ladders.ts'
import { type LockedMovement, lockMovements } from '../../../rails/lock-movements.ts'
import { postAndRecord } from '../../../rails/posting/post.ts'
import {
  mayBePosted,
  nextQuestionAt,
  repostTimesFor,
  repostWindowMs,
  SENDING_MS,
} from '../../../rails/posting/repost-times.ts'
import type { PayoutFailure } from '../../../rails/rail.ts'
import { findStop } from '../find-stop.ts'
import { checkPayoutReadiness } from '../payout-readiness.ts'
import type { DuePayout } from './claim-payouts.ts'
import { PAYOUT_MOVER, setFollowAt } from './payout-mover.ts'
import { queueWaitMs } from './queue-waits.ts'

const SECOND_MS = 1000
// Under a freeze or a pause a queued payout waits this long and is checked again; its money stays reserved.
const STOPPED_WAIT_MS = 15 * SECOND_MS

// How long to retry the mark while connections are scarce. Nothing has left yet, and without the retry the payout would wait for the
// end of its lease.
const MARK_RETRY_MS = 5 * SECOND_MS

/**
 * Sends a queued live payout: checks freeze and pause again, marks it as sending in a commit of its own, then submits it.
 * It is sent until the operator accepts or refuses it; trouble with the rail never makes it fail (G14e). If it may have
 * left before, it goes through the same installation or not at all. Returns whether it was submitted.
 */
export async function sendQueuedPayout(app: App, payout: DuePayout): Promise<boolean> {
  const readiness = await checkPayoutReadiness(app, payout, pinnedInstallation(payout))
  if (readiness.kind === 'unavailable') {
    await postpone(app, payout, queueWaitMs(payout, readiness.cure))
    if (readiness.cure === 'person') app.log.error({ object_id: payout.id }, `payouts wait: ${readiness.why}`)
    return false
  }
  const marked = await retryWhileAway(() => markAsSending(app, payout, readiness.installation), MARK_RETRY_MS)
  if (marked === 'held' || marked === 'taken') return false
  crashPoint('payout.reserved')
  await postAndRecord(app, PAYOUT_MOVER, { row: payout, ...marked })
  return true
}

const countTry = (payout: DuePayout) =>
  countQuestion(attemptKey(payout), null, { at: null, notFoundAt: null, answer: null })

const attemptKey = ({ merchantId, railReference }: DuePayout) => ({ merchantId, reference: railReference })

/** Returns the installation that an earlier post may have reached; undefined when none has left. */
const pinnedInstallation = ({ firstSentAt, installation }: DuePayout) =>
  firstSentAt === null ? undefined : installation

type MarkedAttempt = { post: Post; mark: Moment; repeated: boolean }
type MarkResult = MarkedAttempt | 'held' | 'taken'

/** Postpones a payout that cannot leave now; it is checked again after `waitMs`. */
async function postpone(app: App, payout: DuePayout, waitMs: number): Promise<void> {
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockMovements<PayoutFailure>('payout', [payout]))
    if (!isQueued(locked, payout)) return { value: null }
    return { value: null, last: [...postponeCalls(app, { ...payout, ...locked }, waitMs), countTry(payout)] }
  })
}

/**
 * Makes the calls that keep the payout in the queue for `waitMs`. If it may have left before, the questions go on instead: the operator
 * may know it by now, and neither a freeze, a pause nor an unavailable rail postpones questions.
 */
function postponeCalls(app: App, payout: DuePayout, waitMs: number): Call[] {
  const now = app.clock.nowMs()
  if (payout.firstSentAt === null) return [setFollowAt(payout, new Date(now + waitMs))]
  const next = Math.min(
    now + waitMs,
    nextQuestionAt(repostTimesFor(app, PAYOUT_MOVER, payout), payout, {
      ladder: ladderFor(app, payout),
      nowMs: now,
      notFound: false,
    }),
  )
  return [setFollowAt(payout, new Date(next)), moveAttempt(attemptKey(payout), 'in_doubt', null)]
}

type LockedPayout = LockedMovement<PayoutFailure>

/** Whether the payout is still as it was claimed and was not sent by another process. */
const isQueued = (locked: LockedPayout | undefined, { nth }: DuePayout): locked is LockedPayout =>
  locked?.open === true && locked.nth === nth && (locked.state === 'queued' || locked.state === 'not_sent')

/** Marks a payout as sending, unless it is stopped. Once a freeze or a pause has committed, no payout is marked. */
async function markAsSending(app: App, payout: DuePayout, installation: string): Promise<MarkResult> {
  const { merchantId, mode } = payout
  const attempt = attemptKey(payout)
  return app.db.transactionFor<MarkResult>({ kind: 'outcome' }, async (tx) => {
    const [[locked], [stops], [head]] = await tx.send(
      lockMovements<PayoutFailure>('payout', [payout]),
      lockPayoutStop(),
      lockHeads([{ merchantId, mode }]),
    )
    if (!isQueued(locked, payout)) return { value: 'taken' }
    const now = app.clock.now()
    const due = { ...payout, ...locked }
    const stopped = !head || findStop({ mode, frozenFor: stops?.frozenFor ?? null, head }) !== null
    const window = { nowMs: now.getTime(), windowMs: repostWindowMs(app, 'disburse', due) }
    if (stopped || !mayBePosted(due, window)) return { value: 'held', last: postponeCalls(app, due, STOPPED_WAIT_MS) }
    const [[sent]] = await tx.send(sendAttempt(attempt, installation, now))
    if (!sent) return { value: 'taken' }
    const { nth, repeated } = sent
    // The lease starts with the post, so that no question is asked while its submit may still be running.
    const leased = setFollowAt(payout, new Date(now.getTime() + SENDING_MS))
    const post = { ...attempt, installation: sent.installation, nth }
    return { value: { post, mark: momentAt(now), repeated }, last: [leased] }
  })
}
