import { badRequest } from '../../platform/refusal.ts'
import { dayBounds } from '../../platform/time/kampala.ts'
import { formatIsoTime, parseIsoTime } from '../../platform/time/times.ts'

type DayRange = { readonly from?: string | undefined; readonly until?: string | undefined }

const MINUTE_PATTERN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$/
const LAST_OF_MINUTE_MS = 59_999
const DAY_PATTERN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/**
 * Parses the days of a filter to the first and the last moment of its rows, in UTC, both included. Pages read a day of an address only
 * here. Throws 400 for a text that is no day of the calendar.
 */
export const parseDays = ({ from, until }: DayRange): { from: string | undefined; until: string | undefined } => ({
  from: from === undefined ? undefined : formatIsoTime(parseDay('from', from).start),
  until: until === undefined ? undefined : formatIsoTime(new Date(parseDay('until', until).end.getTime() - 1)),
})

/**
 * Parses the bounds of a filter that may be minutes as well as days. A minute is written as browsers do (`2026-11-28T12:00`, in Kampala's
 * time); `from` is its first moment, `until` its last. Throws 400.
 */
export const parseMinutes = ({ from, until }: DayRange): { from: string | undefined; until: string | undefined } => ({
  from:
    from !== undefined && MINUTE_PATTERN.test(from)
      ? formatIsoTime(parseMinute('from', from))
      : parseDays({ from }).from,
  until:
    until !== undefined && MINUTE_PATTERN.test(until)
      ? formatIsoTime(new Date(parseMinute('until', until).getTime() + LAST_OF_MINUTE_MS))
      : parseDays({ until }).until,
})

function parseMinute(name: string, text: string): Date {
  const at = parseIsoTime(`${text}:00+03:00`)
  if (at === null) throw badRequest(`${name} must be a time of the calendar, such as 2026-11-28T12:00`)
  return at
}

function parseDay(name: string, text: string) {
  if (!DAY_PATTERN.test(text) || parseIsoTime(text) === null)
    throw badRequest(`${name} must be a day of the calendar, such as 2026-11-28`)
  return dayBounds(text)
}
