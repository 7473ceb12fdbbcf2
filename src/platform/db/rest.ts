import type { Database } from './database.ts'

/** How long reading rests after a piece that has taken `workedMs`. Milliseconds; 0: it goes on at once. */
export type RestFor = (workedMs: number) => number

// What happens ten times a second or more often counts as going on all the time.
const QUIET_AFTER_MS = 100
// A piece that took longer has mostly waited.
const LONGEST_MS = 20

/**
 * How long a report rests beside payments (decision 33): as long as it has just worked, while transactions of this process are under way;
 * not at all while there are none. It does not see those of other processes.
 */
export const restBesideMoney =
  ({ quietMs }: Pick<Database, 'quietMs'>): RestFor =>
  (workedMs) =>
    quietMs() > QUIET_AFTER_MS ? 0 : Math.min(workedMs, LONGEST_MS)
