const OFFSET_MS = 3 * 60 * 60 * 1000 // Uganda has kept UTC+3 without daylight saving since 1960 (contract 3 m).
const DAY_MS = 86_400_000
const PERIOD = /^[0-9]{4}-(?:0[1-9]|1[0-2])$/

/** The calendar month in Kampala, `YYYY-MM`. */
export function kampalaMonth(at: Date): string {
  return wallClock(at).slice(0, 7)
}

/** The calendar day in Kampala, `YYYY-MM-DD`. */
export function kampalaDay(at: Date): string {
  return wallClock(at).slice(0, 10)
}

/** First moment of a day in Kampala (`YYYY-MM-DD`) and first moment of the next (exclusive). */
export function dayBounds(day: string): { start: Date; end: Date } {
  const start = new Date(Date.parse(`${day}T00:00:00.000Z`) - OFFSET_MS)
  return { start, end: new Date(start.getTime() + DAY_MS) }
}

/** First moment of a Kampala month and first moment of the next (exclusive), or null when `period` is no `YYYY-MM`. */
export function monthBounds(period: string): { start: Date; end: Date } | null {
  if (!PERIOD.test(period) || period.startsWith('0000')) return null
  const start = new Date(`${period}-01T00:00:00.000Z`)
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1)
  return { start: new Date(start.getTime() - OFFSET_MS), end: new Date(end.getTime() - OFFSET_MS) }
}

/** Formats a time as ISO 8601 with milliseconds and Kampala's offset: `2026-07-01T12:30:00.123+03:00`. */
export function kampalaIso(at: Date): string {
  return `${wallClock(at)}+03:00`
}

/** Formats a time for a spreadsheet, which takes it for one: Kampala's clock, `2026-07-01 12:30:00`. */
export const kampalaClock = (at: Date): string => wallClock(at).slice(0, 19).replace('T', ' ')

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a time for people, in Kampala's time: `22 Nov 2026, 14:05`. */
export function kampalaTime(at: Date): string {
  const clock = wallClock(at)
  return `${Number(clock.slice(8, 10))} ${MONTHS[Number(clock.slice(5, 7)) - 1]} ${clock.slice(0, 4)}, ${clock.slice(11, 16)}`
}

const TWO = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
// A million times come in order, so the text of the last day is cached.
const last = { day: Number.NaN, text: '' }

// Formats the local time in Kampala, in ISO form without a zone. It takes half a microsecond less than `toISOString`, twice for each
// line of a file.
function wallClock(at: Date): string {
  const local = at.getTime() + OFFSET_MS
  const day = Math.floor(local / DAY_MS)
  if (day !== last.day) {
    const text = new Date(local).toISOString()
    last.text = text.slice(0, text.indexOf('T') + 1)
    last.day = day
  }
  const ms = local - day * DAY_MS
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`
  return `${last.text}${clock}.${String(ms % 1000).padStart(3, '0')}`
}
