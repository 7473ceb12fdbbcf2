import { readFileSync, statSync } from 'node:fs'

/** The only source of time. `now` is UTC wall time; durations are measured with `performance.now()`. */
export type Clock = {
  now(): Date
  nowMs(): number
  /** How far tests have moved the clock on purpose, in ms. Does not include the error of a wrong clock (clock-witness.ts). */
  movedMs?(): number
}

/** Time on a monotonic clock, in ms: setting the clock right does not change it, moving the clock in a test does. */
export const elapsedMs = ({ movedMs }: Clock): number => performance.now() + (movedMs?.() ?? 0)

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date(), nowMs: () => Date.now() }
}

// How often the file is read again: often enough that a test that moves the clock does not wait noticeably.
const FILE_READ_EVERY_MS = 20

/**
 * The machine's clock plus an offset in ms that is read from a file every 20 ms, so that several processes share one moved
 * clock. A second number in the file is the error of a wrong clock. Test hooks only (TEST_CLOCK). A missing or empty file means no offset.
 */
export function clockFollowingFile(path: string): Clock {
  let offsetMs = 0
  let wrongMs = 0
  let readAt = -Infinity
  let modifiedMs = -1
  const nowMs = () => {
    if (performance.now() - readAt > FILE_READ_EVERY_MS) {
      readAt = performance.now()
      const stat = statSync(path, { throwIfNoEntry: false })
      if (stat && stat.mtimeMs !== modifiedMs) {
        modifiedMs = stat.mtimeMs
        const [moved = 0, wrong = 0] = readFileSync(path, 'utf8').trim().split(/\s+/).map(Number)
        offsetMs = moved || 0
        wrongMs = wrong || 0
      }
    }
    return Date.now() + offsetMs + wrongMs
  }
  return { nowMs, now: () => new Date(nowMs()), movedMs: () => offsetMs }
}

/** The machine's clock, which a test can move forward. `beWrong` sets by how many ms it differs from the true time. */
export type MovableClock = Clock & { advance(ms: number): void; beWrong(ms: number): void }

export function movableClock(): MovableClock {
  let offsetMs = 0
  let wrongMs = 0
  const nowMs = () => Date.now() + offsetMs + wrongMs
  return {
    nowMs,
    now: () => new Date(nowMs()),
    movedMs: () => offsetMs,
    advance: (ms) => {
      offsetMs += ms
    },
    beWrong: (ms) => {
      wrongMs = ms
    },
  }
}

/** A stretch of time, in ms of a clock that may step back. */
export type TimeSpan = { fromMs: number; untilMs: number }

/** How much of the span is left, in ms; 0 also when the clock has stepped back to before it began. */
export const msLeft = ({ fromMs, untilMs }: TimeSpan, nowMs: number): number =>
  nowMs < fromMs ? 0 : Math.max(0, untilMs - nowMs)

/** The time `ms` milliseconds after `at` (before it when negative). */
export function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
