import type { App } from '../../app.ts'
import { lockHeads } from '../../ledger/book.ts'
import { lockStops } from '../../merchants/payout-freeze.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Call } from '../../platform/db/database.ts'
import { againWhileAway } from '../../platform/db/while-away.ts'
import {
  addEvidence,
  attemptNotTaken,
  countQuestion,
  moveAttempt,
  type Post,
  refuseRepost,
  sendAttempt,
} from '../../rails/attempts.ts'
import type { PayoutFailure, Submitted } from '../../rails/rail.ts'
import { movePayout } from '../move-payout.ts'
import { payoutReadiness } from '../payout-readiness.ts'
import { stopOf } from '../payout-stops.ts'
import { publishPayout } from '../write-payout-status.ts'
import type { DuePayout } from './claim-payouts.ts'
import { isCurrent, type LockedPost, lockPosts } from './lock-posts.ts'
import { mayBePosted, nextQuestionAt } from './repost-times.ts'
import { followLater, LEASE_MS } from './send-payouts.ts'
import { askToPay, KEPT_MS } from './submit-live-payout.ts'

const SECOND = 1000
// How long a payout waits after the rail could not take it: the first tries, then every five minutes (rails.md 4.6).
const WAITS_MS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND]
const LATER_WAITS_MS = 300 * SECOND
// Trouble that only a person can fix is tried less often.
const PERSON_WAIT_MS = 900 * SECOND
// Under a freeze or a pause a queued payout waits and is checked again; nothing is returned.
const STOPPED_WAIT_MS = 15 * SECOND

// How long to retry while connections are scarce. Nothing has left yet, and otherwise the payout would wait for the end of
// its lease.
const MARKED_WITHIN_MS = 5 * SECOND

/**
 * Sends a queued live payout: checks freeze and pause again, marks it as sending in a commit of its own, then submits it.
 * It is sent until the operator accepts or refuses it; trouble with the rail never makes it fail (G14e). If it may have
 * left before, it goes through the same contract or not at all.
 */
export async function sendQueued(app: App, payout: DuePayout): Promise<boolean> {
  const readiness = await payoutReadiness(app, payout, pinnedTo(payout))
  if (readiness.kind === 'unavailable') {
    const waitMs = readiness.cure === 'wait' ? waitFor(payout) : PERSON_WAIT_MS
    await holdBack(app, payout, waitMs)
    if (readiness.cure === 'person') app.log.error({ object_id: payout.id }, `payouts wait: ${readiness.why}`)
    return false
  }
  const marked = await againWhileAway(
    () => markAsSending(app, payout, readiness.installation),
    MARKED_WITHIN_MS,
  )
  if (marked === 'held' || marked === 'taken') return false
  crashPoint('payout.reserved')
  const heard = await askToPay(app, payout, marked.post.installation)
  await againWhileAway(() => record(app, { payout, ...marked }, heard), KEPT_MS)
  return true
}

const waitFor = ({ questionCount }: DuePayout) => WAITS_MS[questionCount] ?? LATER_WAITS_MS

const countTry = (payout: DuePayout) => countQuestion(attemptOf(payout), null, null)

const attemptOf = ({ merchantId, railReference }: DuePayout) => ({ merchantId, reference: railReference })

/** The contract that an earlier post may have reached. */
const pinnedTo = ({ firstSentAt, installation }: DuePayout) =>
  firstSentAt === null ? undefined : installation

type Marked = { post: Post; repeated: boolean }
type Marking = Marked | 'held' | 'taken'

/** It cannot leave now and is checked again after this long. */
async function holdBack(app: App, payout: DuePayout, waitMs: number): Promise<void> {
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockPosts([payout]))
    if (!isQueued(locked, payout)) return { value: null }
    return { value: null, last: [...heldBack(app, { ...payout, ...locked }, waitMs), countTry(payout)] }
  })
}

/**
 * Keeps the payout in the queue. If it may have left before, the questions go on instead: the operator may know it by now,
 * and neither a freeze, a pause nor an unavailable rail postpones questions.
 */
function heldBack(app: App, payout: DuePayout, waitMs: number): Call[] {
  const now = app.clock.nowMs()
  if (payout.firstSentAt === null) return [followLater(payout, new Date(now + waitMs))]
  const next = Math.min(now + waitMs, nextQuestionAt(payout, now))
  return [followLater(payout, new Date(next)), moveAttempt(attemptOf(payout), 'in_doubt', null)]
}

/** Whether it is still as it was claimed, not sent by another process. */
const isQueued = (locked: LockedPost | undefined, { nth }: DuePayout): locked is LockedPost =>
  locked?.open === true && locked.nth === nth && (locked.state === 'queued' || locked.state === 'not_sent')

/** After a freeze or a pause has committed, no payout is marked as sending. */
async function markAsSending(app: App, payout: DuePayout, installation: string): Promise<Marking> {
  const { merchantId, mode } = payout
  const attempt = attemptOf(payout)
  return app.db.transactionFor<Marking>({ kind: 'outcome' }, async (tx) => {
    const [[locked], [stops], [head]] = await tx.send(
      lockPosts([payout]),
      lockStops(),
      lockHeads([{ merchantId, mode }]),
    )
    if (!isQueued(locked, payout)) return { value: 'taken' }
    const now = app.clock.now()
    const due = { ...payout, ...locked }
    const stopped = !head || stopOf({ mode, frozenFor: stops?.frozenFor ?? null, head }) !== null
    if (stopped || !mayBePosted(due, now.getTime()))
      return { value: 'held', last: heldBack(app, due, STOPPED_WAIT_MS) }
    const [[sent]] = await tx.send(sendAttempt(attempt, installation, now))
    if (!sent) return { value: 'taken' }
    const { nth, repeated } = sent
    // The lease starts with the post, so that no question is asked while its submit may still be running.
    const leased = followLater(payout, new Date(now.getTime() + LEASE_MS))
    return { value: { post: { ...attempt, installation: sent.installation, nth }, repeated }, last: [leased] }
  })
}

type Posted = Marked & { payout: DuePayout }

/** An answer to a repeated post is about that post only (rails.md 4.5). */
async function record(app: App, posted: Posted, heard: Submitted<PayoutFailure>): Promise<void> {
  const { payout, post, repeated } = posted
  const evidence = addEvidence(post, heard.kind, heard.evidence)
  const now = app.clock.now()
  // A repeated post does not restart the ladder of questions.
  const endedAt = repeated ? null : now
  switch (heard.kind) {
    case 'accepted':
      // Counts for any post: the operator has the reference.
      return write(app, [publishPayout(app, payout, false), moveAttempt(post, 'accepted', endedAt), evidence])
    case 'ambiguous':
      return writeIfCurrent(app, posted, {
        current: [publishPayout(app, payout, true), moveAttempt(post, 'in_doubt', endedAt)],
        always: [evidence],
      })
    case 'rejected':
      if (!repeated) return fail(app, posted, { reason: heard.reason, evidence })
      return writeIfCurrent(app, posted, {
        current: [publishPayout(app, payout, true), refuseRepost(post, heard.reason)],
        always: [evidence],
      })
    case 'unavailable': {
      const waitUntil = now.getTime() + (heard.cure === 'wait' ? waitFor(payout) : PERSON_WAIT_MS)
      const next = repeated ? Math.min(waitUntil, nextQuestionAt(payout, now.getTime())) : waitUntil
      const later = followLater(payout, new Date(next))
      return writeIfCurrent(app, posted, { current: [later, attemptNotTaken(post, now)], always: [evidence] })
    }
  }
}

/** Applies a definite refusal of the only post. */
async function fail(
  app: App,
  { payout, post }: Posted,
  { reason, evidence }: { reason: PayoutFailure; evidence: Call },
): Promise<void> {
  const moved = await movePayout(app, {
    payout,
    to: { status: 'failed', reason },
    post: post.nth,
    alongside: [evidence, moveAttempt(post, 'ended', app.clock.now())],
  })
  if (moved === 'overtaken') await write(app, [evidence])
}

/** Writes `current` only if this post is the last one and no later answer was recorded, `always` in any case. */
async function writeIfCurrent(
  app: App,
  { payout, post }: Posted,
  calls: { current: readonly Call[]; always: readonly Call[] },
): Promise<void> {
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockPosts([payout]))
    const current = locked?.open && isCurrent(locked, post.nth) ? calls.current : []
    return { value: null, last: [...current, ...calls.always] }
  })
}

async function write(app: App, calls: readonly Call[]): Promise<void> {
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(...calls)
    return { value: null }
  })
}
