/** A moment by the wall clock and, in ms, by the monotonic one. */
export type Moment = { at: Date; ms: number }

/** The present moment. `at`: what the wall clock shows now. */
export const momentAt = (at: Date): Moment => ({ at, ms: performance.now() })

/**
 * How many ms lie between two moments, by the clock that shows more: the wall clock may have been set back meanwhile, and the monotonic
 * one stands still while a machine is suspended.
 */
export const msBetween = (before: Moment, now: Moment): number =>
  Math.max(now.at.getTime() - before.at.getTime(), now.ms - before.ms)
