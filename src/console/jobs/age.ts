import { JOBS } from '../texts/jobs.ts'

const { ages } = JOBS
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** Formats a passed time (ms) in the largest unit of which there are at least two: `45 s`, `3 min`, `26 h`, `3 days`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 2 * MINUTE) return ages.seconds(seconds)
  if (seconds < 2 * HOUR) return ages.minutes(Math.floor(seconds / MINUTE))
  if (seconds < 2 * DAY) return ages.hours(Math.floor(seconds / HOUR))
  return ages.days(Math.floor(seconds / DAY))
}
