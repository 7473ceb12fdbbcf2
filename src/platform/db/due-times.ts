import { later } from '../clock.ts'

// A time that is further ahead than the longest step by which it is ever set was set before the clock stepped back. It would be waited for as
// long as the clock was wrong; it counts as over instead. Clocks of two processes may differ a little.
const APART_MS = 10_000

/** Beyond this a time that is set at most `longestMs` ahead was set before the clock stepped back. */
export const tooFarAhead = (now: Date, longestMs: number): Date => later(now, longestMs + APART_MS)

/** In a statement whose parameter `at` is now: a time that is set at most `longestMs` ahead has come, or is too far ahead. */
export const isOver = (time: string, at: string, longestMs: number): string =>
  `(${time} <= ${at}::timestamptz or ${time} > ${at}::timestamptz + interval '${longestMs + APART_MS} milliseconds')`
