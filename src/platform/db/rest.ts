import type { Database } from './database.ts'

/** Returns how long to rest, in ms, after a piece of reading that took `workedMs`; 0: go on at once. */
export type RestFor = (workedMs: number) => number

// Transactions that come ten times a second or more often count as under way all the time.
const QUIET_AFTER_MS = 100
// A piece that took longer was mostly waiting.
const MAX_REST_MS = 20

/**
 * Lets a report rest beside payments (decision 33): as long as it has just worked, while transactions of this process are under way; not at
 * all while there are none. Transactions of other processes do not count.
 */
export const restBesideMoney =
  ({ quietMs }: Pick<Database, 'quietMs'>): RestFor =>
  (workedMs) =>
    quietMs() > QUIET_AFTER_MS ? 0 : Math.min(workedMs, MAX_REST_MS)
