const X_TIMESTAMP = /^-?[0-9]{1,16}$/
const MILLISECONDS_FROM = 1e11 // Twelve digits: as seconds it would be the year 5138 or later.

// Date, then optionally a time with optional seconds and fraction, then optionally Z or an offset.
// A `+` in a query string arrives as a space unless the client escaped it, so a space stands for it. Databases and languages print
// a space for the T, too.
const ISO_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([-+ ])([0-9]{2}):?([0-9]{2}))?)?$/
const YEAR_1 = -62_135_596_800_000
const YEAR_10000 = 253_402_300_800_000

/** Parses X-Timestamp to whole Unix seconds; null when malformed (G53). Twelve digits or more are milliseconds. */
export function parseXTimestamp(text: string): number | null {
  if (!X_TIMESTAMP.test(text)) return null
  const value = Number(text)
  const seconds = Math.abs(value) >= MILLISECONDS_FROM ? Math.floor(value / 1000) : value
  return seconds + 0 // `-0` becomes 0.
}

/**
 * Parses a time in a query or in `start_at` (contract 2.0): ISO 8601 with Z or an offset, UTC without one; a bare date is its first
 * moment. Null for what is no real moment of the years 1 to 9999. Digits finer than milliseconds are cut off.
 */
export function parseIsoTime(text: string): Date | null {
  const parts = ISO_TIME.exec(text)
  if (parts === null) return null
  const ms = parseDay(parts)
  const time = parseClockTime(parts)
  const offset = parseOffset(parts)
  if (ms === null || time === null || offset === null) return null
  const at = ms + time - offset
  return at >= YEAR_1 && at < YEAR_10000 ? new Date(at) : null
}

// The charges of a batch have the same few times, and formatting one takes longer than all the rest of their text.
const REMEMBERED_TIMES = 16
const rememberedMs = new Float64Array(REMEMBERED_TIMES).fill(Number.NaN)
const rememberedTexts: string[] = Array.from({ length: REMEMBERED_TIMES }, () => '')

/** Formats a time as ISO 8601 in UTC with milliseconds and Z, the only form in answers and events. Throws for an invalid date. */
export function formatIsoTime(date: Date): string {
  const ms = date.getTime()
  const slot = Math.abs(ms) % REMEMBERED_TIMES
  if (rememberedMs[slot] === ms) return rememberedTexts[slot] as string
  const text = date.toISOString()
  rememberedMs[slot] = ms
  rememberedTexts[slot] = text
  return text
}

function parseDay(parts: RegExpExecArray): number | null {
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // A day that does not exist rolls over into another month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return date.getTime()
}

function parseClockTime(parts: RegExpExecArray): number | null {
  const [hour, minute, second] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59) return null
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  return ((hour * 60 + minute) * 60 + second) * 1000 + ms
}

function parseOffset(parts: RegExpExecArray): number | null {
  if (parts[8] === undefined) return 0
  const [hours, minutes] = [Number(parts[9]), Number(parts[10])]
  if (hours > 23 || minutes > 59) return null
  return (parts[8] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
