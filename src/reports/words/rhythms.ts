import type { Rhythm } from '../../payments/withdrawals/standing-orders/standing-order.ts'

/** The days of the week, Sunday first. */
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** Formats an hour of the day: `08:00`. */
export const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Says when a standing order runs: `every Monday at 08:00`. */
export function formatRhythm({ rhythm, weekday, hour }: Rhythm): string {
  if (rhythm === 'above') return 'whenever there is more than is kept back, looked at every hour'
  return `${rhythm === 'daily' ? 'every day' : `every ${WEEKDAYS[weekday]}`} at ${formatHour(hour)}`
}
