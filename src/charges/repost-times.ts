import type { AttemptFacts } from '../rails/attempt-facts.ts'

// Later than this the customer has gone away, and would be surprised by a question for the PIN (rails.md 4.5).
const WINDOW_MS = 60_000
// A second "not found" no sooner than this after the first, and no two posts closer than that.
const FOUND_AGAIN_MS = 2000
const BETWEEN_POSTS_MS = 5000
const MOST_REPOSTS = 2
// A submit whose end nobody has recorded has surely ended by then.
const SUBMIT_LIVES_MS = 30_000

/**
 * From when on a charge goes out again under its reference when this "not found" is followed by another, or is the second one
 * already; in ms of the injected clock. Null when it may not: the operator has it, or has refused it, the window that counts
 * from its first post is over, or it went out again often enough.
 */
export function repostAt(attempt: AttemptFacts, nowMs: number): number | null {
  const { state, refusedAs, reposts, firstSentAt, sendingSince, submitEndedAt, firstNotFoundAt } = attempt
  if (state === 'accepted' || refusedAs !== null || reposts >= MOST_REPOSTS) return null
  if (firstSentAt === null || sendingSince === null) return null
  const found = (firstNotFoundAt?.getTime() ?? nowMs) + FOUND_AGAIN_MS
  // What leads out of `sending` is the end of a post; of the first one it may also be the deadline of its caller.
  const ended = state === 'in_doubt' && (reposts > 0 || submitEndedAt !== null)
  const apart = sendingSince.getTime() + (ended ? BETWEEN_POSTS_MS : SUBMIT_LIVES_MS)
  const due = Math.max(found, apart)
  return due < firstSentAt.getTime() + WINDOW_MS ? due : null
}

/** Whether this "not found" sends it out again now. */
export function isLostCharge(attempt: AttemptFacts, nowMs: number): boolean {
  if (attempt.firstNotFoundAt === null || attempt.state !== 'in_doubt') return false
  const due = repostAt(attempt, nowMs)
  const windowEnd = (attempt.firstSentAt?.getTime() ?? 0) + WINDOW_MS
  return due !== null && nowMs >= due && nowMs < windowEnd
}
