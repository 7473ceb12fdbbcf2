import type { AttemptFacts } from '../../rails/attempt-facts.ts'

const SECOND = 1000
// How long a payout waits after the rail could not take it: these after the first tries, then five minutes (rails.md 4.6).
const WAITS_MS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND]
const LATER_WAITS_MS = 300 * SECOND
// The wait while only a person can fix the trouble.
const PERSON_WAIT_MS = 900 * SECOND

/** Computes how long (ms) a payout that the rail could not take waits for its next try. */
export function queueWaitMs({ questionCount }: AttemptFacts, cure: 'wait' | 'person'): number {
  if (cure === 'person') return PERSON_WAIT_MS
  return WAITS_MS[questionCount] ?? LATER_WAITS_MS
}
