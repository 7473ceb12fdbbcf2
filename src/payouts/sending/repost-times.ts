import { type AttemptFacts, LOST_AFTER_MS, LOST_AFTER_QUESTIONS } from '../../rails/attempt-facts.ts'
import { nextQuestionMs } from '../../rails/follow-ladder.ts'

/** What an attempt and its payout know; every time below is in ms of the injected clock. */
export type Followed = AttemptFacts & { createdAt: Date }

const MINUTE_MS = 60_000
// Waits before the same reference is posted again after the first repost, counted from the post before (rails.md 4.5).
const REPOST_WAITS_MS = [2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
const LATER_REPOST_MS = 60 * MINUTE_MS
// An operator may have forgotten an older reference, so it is never posted again (rails.md 4.5).
const REPOST_UNTIL_MS = 24 * 60 * MINUTE_MS
// After a refused repost the three "not found" over a minute need not wait for the slow ladder of an old payout.
const REFUSED_AGAIN_MS = 30_000

/**
 * Whether it may be posted, again or for the first time. The 24 hours count from the first post, not from the creation: it
 * may have waited for days for an approval or behind a freeze.
 */
export const mayBePosted = ({ firstSentAt }: Followed, nowMs: number) =>
  firstSentAt === null || nowMs < firstSentAt.getTime() + REPOST_UNTIL_MS

/** It is unknown whether it was taken, and with this "not found" the operator has denied it often enough. */
export function isLost(payout: Followed, nowMs: number): boolean {
  const due = repostAt(payout)
  return payout.state === 'in_doubt' && due !== null && nowMs >= due && mayBePosted(payout, nowMs)
}

/**
 * The next question about it: by the ladder, counted from the end of its submit, or sooner if it may then be posted again
 * or fail as refused. `notFound`: the answer just now was that the operator does not know it.
 */
export function nextQuestionAt(payout: Followed, nowMs: number, notFound = false): number {
  // For a submit without a recorded end its beginning counts, never the creation of the payout.
  const from = payout.submitEndedAt ?? payout.sendingSince ?? payout.createdAt
  return Math.min(nextQuestionMs(from.getTime(), nowMs), soonerAt(payout, nowMs, notFound))
}

function soonerAt(payout: Followed, nowMs: number, notFound: boolean): number {
  if (payout.state !== 'in_doubt') return Number.POSITIVE_INFINITY
  const repost = repostAt(payout)
  if (repost !== null && repost > nowMs) return repost
  const refused = notFound && payout.refusedAs !== null
  return refused ? nowMs + REFUSED_AGAIN_MS : Number.POSITIVE_INFINITY
}

/** When a payout that is not found is posted again; null while it may not be. */
function repostAt(payout: Followed): number | null {
  const { reposts, sendingSince, firstNotFoundAt, notFoundCount, refusedAs } = payout
  // The last post was refused: the payout fails once the operator has confirmed that it knows no other, and is not posted
  // again.
  if (sendingSince === null || refusedAs !== null) return null
  if (reposts > 0) return sendingSince.getTime() + (REPOST_WAITS_MS[reposts - 1] ?? LATER_REPOST_MS)
  if (firstNotFoundAt === null || notFoundCount + 1 < LOST_AFTER_QUESTIONS) return null
  return firstNotFoundAt.getTime() + LOST_AFTER_MS
}
