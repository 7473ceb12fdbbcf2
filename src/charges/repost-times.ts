import type { AttemptFacts } from '../rails/attempt-facts.ts'

// Later than this the customer has gone, and a PIN prompt would be a surprise (rails.md 4.5).
const WINDOW_MS = 60_000
// A second "not found" no sooner than this after the first, and no two posts closer than that.
const FOUND_AGAIN_MS = 2000
const BETWEEN_POSTS_MS = 5000
const MOST_REPOSTS = 2
// A submit without a recorded end has ended by then.
const SUBMIT_LIVES_MS = 30_000

/**
 * When a charge is posted again under its reference, if this "not found" is followed by another or is the second one
 * already; in ms of the injected clock. Null if it may not be: the operator has it or refused it, the window since its
 * first post is over, or it was posted often enough.
 */
export function repostAt(attempt: AttemptFacts, nowMs: number): number | null {
  const { state, refusedAs, reposts, firstSentAt, sendingSince, submitEndedAt, firstNotFoundAt } = attempt
  if (state === 'accepted' || refusedAs !== null || reposts >= MOST_REPOSTS) return null
  if (firstSentAt === null || sendingSince === null) return null
  const found = (firstNotFoundAt?.getTime() ?? nowMs) + FOUND_AGAIN_MS
  // `sending` ends with the post; for the first post it may also end with the deadline of its caller.
  const ended = state === 'in_doubt' && (reposts > 0 || submitEndedAt !== null)
  const apart = sendingSince.getTime() + (ended ? BETWEEN_POSTS_MS : SUBMIT_LIVES_MS)
  const due = Math.max(found, apart)
  return due < firstSentAt.getTime() + WINDOW_MS ? due : null
}

/** Whether it is posted again after this "not found". */
export function isLostCharge(attempt: AttemptFacts, nowMs: number): boolean {
  if (attempt.firstNotFoundAt === null || attempt.state !== 'in_doubt') return false
  const due = repostAt(attempt, nowMs)
  const windowEnd = (attempt.firstSentAt?.getTime() ?? 0) + WINDOW_MS
  return due !== null && nowMs >= due && nowMs < windowEnd
}
