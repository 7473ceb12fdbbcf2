import { addMs } from '../time/clock.ts'

// A due time that lies further ahead than it is ever set was set before the clock stepped back. Waiting for it would take as long as
// the clock was wrong, so it counts as due. The clocks of two processes may differ a little.
const CLOCK_TOLERANCE_MS = 10_000

/** The latest plausible due time, of those that are set at most `longestMs` ahead. A later one was set before the clock stepped back. */
export const latestPlausibleTime = (now: Date, longestMs: number): Date => addMs(now, longestMs + CLOCK_TOLERANCE_MS)

/** SQL condition, where the parameter `at` is now: a time that is set at most `longestMs` ahead has come, or is implausibly far ahead. */
export const dueCondition = (time: string, at: string, longestMs: number): string =>
  `(${time} <= ${at}::timestamptz or ${time} > ${at}::timestamptz + interval '${longestMs + CLOCK_TOLERANCE_MS} milliseconds')`

/**
 * The same condition for the WHERE of an ON CONFLICT: it adds no interval to a time, which is not immutable and so is refused there where
 * the table is distributed. No index serves it.
 */
export const immutableDueCondition = (time: string, at: string, longestMs: number): string =>
  `(${time} <= ${at}::timestamptz or ${time} - ${at}::timestamptz > interval '${longestMs + CLOCK_TOLERANCE_MS} milliseconds')`
