import type { AttemptFacts } from '../../rails/attempt-facts.ts'

const SECOND = 1000
// How long a payout waits after the rail could not take it: the first tries, then every five minutes (rails.md 4.6).
const WAITS_MS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND]
const LATER_WAITS_MS = 300 * SECOND
// Trouble that only a person can fix is tried less often.
const PERSON_WAIT_MS = 900 * SECOND

/** How long a payout that the rail could not take waits until it is tried again, in ms. */
export function queueWaitMs({ questionCount }: AttemptFacts, cure: 'wait' | 'person'): number {
  if (cure === 'person') return PERSON_WAIT_MS
  return WAITS_MS[questionCount] ?? LATER_WAITS_MS
}
