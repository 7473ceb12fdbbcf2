import { type MovableClock, movableClock } from '../../../src/platform/time/clock.ts'

/** A clock that stands still until the test moves it: for what is promised to the second. */
export function stillClock(): MovableClock {
  const running = movableClock()
  let at = running.nowMs()
  return {
    nowMs: () => at,
    now: () => new Date(at),
    movedMs: () => at - running.nowMs(),
    advance: (ms) => {
      at += ms
    },
    beWrong: () => {},
  }
}
