import type { Clock } from '../platform/time/clock.ts'

/** Counts answers and unknown words of each installation in the present hour. */
export type UnknownWordCounter = {
  answered(installation: string): void
  /** Counts one more unknown word. Returns whether they are more than 1 % of the answers of this hour (rails.md 3.7). */
  isTooMany(installation: string): boolean
}

const HOUR_MS = 3_600_000
const MAX_UNKNOWN_SHARE = 0.01

/** Opens the counter. It counts in memory: the answers that one process gets are a fair sample. */
export function openUnknownWordCounter(clock: Pick<Clock, 'nowMs'>): UnknownWordCounter {
  const counts = new Map<string, { hour: number; answers: number; unknown: number }>()

  function countOf(installation: string) {
    const hour = Math.floor(clock.nowMs() / HOUR_MS)
    const last = counts.get(installation)
    const count = last?.hour === hour ? last : { hour, answers: 0, unknown: 0 }
    counts.set(installation, count)
    return count
  }

  return {
    answered(installation) {
      countOf(installation).answers += 1
    },
    isTooMany(installation) {
      const count = countOf(installation)
      count.unknown += 1
      return count.unknown > MAX_UNKNOWN_SHARE * count.answers
    },
  }
}
