import type { AttemptFacts } from '../../../rails/attempt-facts.ts'

const SECOND_MS = 1000
// How long a payout waits after the rail could not take it: these after the first tries, then five minutes (rails.md 4.6).
const FIRST_WAITS_MS = [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, 60 * SECOND_MS]
const LATER_WAIT_MS = 300 * SECOND_MS
// The wait while only a person can fix the trouble.
const PERSON_WAIT_MS = 900 * SECOND_MS

/** Computes how long (ms) a payout that the rail could not take waits for its next try. */
export function queueWaitMs({ questionCount }: AttemptFacts, cure: 'wait' | 'person'): number {
  if (cure === 'person') return PERSON_WAIT_MS
  return FIRST_WAITS_MS[questionCount] ?? LATER_WAIT_MS
}
