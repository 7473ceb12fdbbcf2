import { type AttemptFacts, LOST_AFTER_MS, LOST_AFTER_QUESTIONS } from '../rails/attempt-facts.ts'
import { nextQuestionMs } from '../rails/follow-ladder.ts'

/** What an attempt and its payout know; every time below is in ms of the injected clock. */
export type Followed = AttemptFacts & { createdAt: Date }

const MINUTE_MS = 60_000
// When the same reference goes out again after the first time, counted from the post before (rails.md 4.5).
const REPOST_WAITS_MS = [2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
const LATER_REPOST_MS = 60 * MINUTE_MS
// An operator may have forgotten a reference that is older: it is never posted again (rails.md 4.5).
const REPOST_UNTIL_MS = 24 * 60 * MINUTE_MS
// After a refused repost: three times "not found" over a minute do not have to wait for the ladder of an old payout.
const REFUSED_AGAIN_MS = 30_000

/**
 * Whether it may be posted, again or for the first time. The day counts from the first post: what has waited for days (for an
 * approval, or behind a freeze) is not old.
 */
export const mayBePosted = ({ firstSentAt }: Followed, nowMs: number) =>
  firstSentAt === null || nowMs < firstSentAt.getTime() + REPOST_UNTIL_MS

/** Nobody knows whether it was taken, and with this "not found" the operator has said often enough that it was not. */
export function isLost(payout: Followed, nowMs: number): boolean {
  const due = repostAt(payout)
  return payout.state === 'in_doubt' && due !== null && nowMs >= due && mayBePosted(payout, nowMs)
}

/**
 * The next question about it: by the ladder, counted from the end of its submit, or sooner when after that one it goes out
 * again, or fails as refused. `notFound`: the answer just now was that the operator does not know it.
 */
export function nextQuestionAt(payout: Followed, nowMs: number, notFound = false): number {
  // Of a submit whose end nobody has heard the beginning counts, never the time at which the payout was made.
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

/** From when on a payout that is not found goes out again; null while it may not. */
function repostAt(payout: Followed): number | null {
  const { reposts, sendingSince, firstNotFoundAt, notFoundCount, refusedAs } = payout
  // The last post was refused: it fails once the operator surely knows of no other, and is not posted once more.
  if (sendingSince === null || refusedAs !== null) return null
  if (reposts > 0) return sendingSince.getTime() + (REPOST_WAITS_MS[reposts - 1] ?? LATER_REPOST_MS)
  if (firstNotFoundAt === null || notFoundCount + 1 < LOST_AFTER_QUESTIONS) return null
  return firstNotFoundAt.getTime() + LOST_AFTER_MS
}
