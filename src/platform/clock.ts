import { readFileSync, statSync } from 'node:fs'

/** Where time comes from: the one door. `now` is UTC wall time; durations are measured with `performance.now()`. */
export type Clock = { now(): Date; nowMs(): number }

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date(), nowMs: () => Date.now() }
}

// How often a followed file is looked at again. Short enough that a test that moves it never waits visibly.
const FILE_LOOK_MS = 20

/**
 * The machine's clock moved by the offset (in ms) that stands in a file, looked at again every 20 ms, so that
 * several processes share one moved clock. Test hooks only (TEST_CLOCK). A missing or empty file means no offset.
 */
export function clockFollowingFile(path: string): Clock {
  let offsetMs = 0
  let lookedAt = -Infinity
  let modifiedMs = -1
  const nowMs = () => {
    if (performance.now() - lookedAt > FILE_LOOK_MS) {
      lookedAt = performance.now()
      const stat = statSync(path, { throwIfNoEntry: false })
      if (stat && stat.mtimeMs !== modifiedMs) {
        modifiedMs = stat.mtimeMs
        offsetMs = Number(readFileSync(path, 'utf8').trim()) || 0
      }
    }
    return Date.now() + offsetMs
  }
  return { nowMs, now: () => new Date(nowMs()) }
}

/** A clock that a test moves by hand; it runs on from the machine's time. */
export type MovableClock = Clock & { advance(ms: number): void }

export function movableClock(): MovableClock {
  let offsetMs = 0
  return {
    nowMs: () => Date.now() + offsetMs,
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms
    },
  }
}

/** The time `ms` milliseconds after `at` (before it when negative). */
export function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
