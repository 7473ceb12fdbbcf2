import type { Database } from './database.ts'

/** How long a piece of long reading rests after it has taken `workedMs`. Milliseconds; 0: it goes on at once. */
export type RestFor = (workedMs: number) => number

// Money that moves ten times a second counts as moving all the time.
const QUIET_AFTER_MS = 100
// A piece that waited long has not worked for as long.
const LONGEST_REST_MS = 20

/**
 * Reads that nobody waits for as for a payment rest as long as they work while money moves in this process, so that they never take
 * more than half of a processor from it. While no money moves they do not rest.
 */
export const restBesideMoney =
  ({ quietMs }: Pick<Database, 'quietMs'>): RestFor =>
  (workedMs) =>
    quietMs() > QUIET_AFTER_MS ? 0 : Math.min(workedMs, LONGEST_REST_MS)

export const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
