import { type MovableClock, movableClock } from '../../src/platform/clock.ts'

/** A clock that stands still until the test moves it: for what is promised to the second. */
export function stillClock(): MovableClock {
  let at = movableClock().nowMs()
  return {
    nowMs: () => at,
    now: () => new Date(at),
    advance: (ms) => {
      at += ms
    },
  }
}
