import { readFileSync, statSync } from 'node:fs'

/** The only source of time. `now` is UTC wall time; durations are measured with `performance.now()`. */
export type Clock = { now(): Date; nowMs(): number }

/** The machine's own clock. */
export function systemClock(): Clock {
  return { now: () => new Date(), nowMs: () => Date.now() }
}

// How often the file is read again: often enough that a test that moves the clock does not wait noticeably.
const FILE_LOOK_MS = 20

/**
 * The machine's clock plus an offset in ms that is read from a file every 20 ms, so that several processes share one moved
 * clock. Test hooks only (TEST_CLOCK). A missing or empty file means no offset.
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

/** A clock that a test moves forward; otherwise it runs with the machine's. */
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
