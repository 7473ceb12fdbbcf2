import { assert } from '../../platform/assert.ts'
import { kampalaIso, kampalaMonth, monthBounds } from '../../platform/time/kampala.ts'
import type { Interval } from './schedule.ts'

// Kampala has no summer time, so every day there is this long.
const DAY_MS = 86_400_000
const STEP_MS = { daily: DAY_MS, weekly: 7 * DAY_MS }

/**
 * The first date of a schedule after a moment, counted from its anchor in the Kampala calendar and never from an actual run
 * (G15b): the same time of day each day, each week, or each month on the anchor's day, in a shorter month on its last day.
 * Missed dates are skipped (G15d).
 */
export function nextRun(interval: Interval, { anchor, after }: { anchor: Date; after: Date }): Date {
  if (after < anchor) return anchor
  if (interval === 'monthly') return nextMonthly(anchor, after)
  const step = STEP_MS[interval]
  const passed = Math.floor((after.getTime() - anchor.getTime()) / step)
  return new Date(anchor.getTime() + (passed + 1) * step)
}

/** The day of a cycle in Kampala, `YYYYMMDD`, as references of its payouts carry it (G15f). */
export function cycleDay(cycleAt: Date): string {
  return kampalaIso(cycleAt).slice(0, 'YYYY-MM-DD'.length).replaceAll('-', '')
}

function nextMonthly(anchor: Date, after: Date): Date {
  const sinceMonthBegan = anchor.getTime() - getMonthBounds(anchor).start.getTime()
  const inThisMonth = monthlyDate(after, sinceMonthBegan)
  return inThisMonth > after ? inThisMonth : monthlyDate(getMonthBounds(after).end, sinceMonthBegan)
}

/** The date of a monthly schedule in the month of `at`. */
function monthlyDate(at: Date, sinceMonthBegan: number): Date {
  const { start, end } = getMonthBounds(at)
  const length = end.getTime() - start.getTime()
  const onLastDay = length - DAY_MS + (sinceMonthBegan % DAY_MS)
  return new Date(start.getTime() + Math.min(sinceMonthBegan, onLastDay))
}

function getMonthBounds(at: Date) {
  const bounds = monthBounds(kampalaMonth(at))
  assert(bounds !== null, 'a schedule lives in the years that have four digits')
  return bounds
}
