import { JOBS } from '../texts/jobs.ts'

const { ages } = JOBS
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

/** Formats a passed time (ms) in the largest unit of which there are at least two: `45 s`, `3 min`, `26 h`, `3 days`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 2 * MINUTE_SECONDS) return ages.seconds(seconds)
  if (seconds < 2 * HOUR_SECONDS) return ages.minutes(Math.floor(seconds / MINUTE_SECONDS))
  if (seconds < 2 * DAY_SECONDS) return ages.hours(Math.floor(seconds / HOUR_SECONDS))
  return ages.days(Math.floor(seconds / DAY_SECONDS))
}
