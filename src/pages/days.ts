import { dayBounds } from '../platform/kampala.ts'
import { badRequest } from '../platform/refusal.ts'
import { isoMs, readIsoTime } from '../platform/times.ts'

type Days = { readonly from?: string | undefined; readonly until?: string | undefined }

const MINUTE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$/
const LAST_OF_MINUTE_MS = 59_999
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/**
 * The days of a filter as the moments between which its rows lie, both included, in UTC: the one place where pages read a day of an
 * address. Throws 400 for what is no day of the calendar.
 */
export const readDays = ({ from, until }: Days): { from: string | undefined; until: string | undefined } => ({
  from: from === undefined ? undefined : isoMs(boundsOf('from', from).start),
  until: until === undefined ? undefined : isoMs(new Date(boundsOf('until', until).end.getTime() - 1)),
})

/**
 * The same where a minute may be named too, as browsers write it (`2026-11-28T12:00`, in Kampala's time): from its first moment, until its last.
 * Throws 400.
 */
export const readMinutes = ({
  from,
  until,
}: Days): { from: string | undefined; until: string | undefined } => ({
  from: from !== undefined && MINUTE.test(from) ? isoMs(minuteOf('from', from)) : readDays({ from }).from,
  until:
    until !== undefined && MINUTE.test(until)
      ? isoMs(new Date(minuteOf('until', until).getTime() + LAST_OF_MINUTE_MS))
      : readDays({ until }).until,
})

function minuteOf(name: string, text: string): Date {
  const at = readIsoTime(`${text}:00+03:00`)
  if (at === null) throw badRequest(`${name} must be a time of the calendar, such as 2026-11-28T12:00`)
  return at
}

function boundsOf(name: string, text: string) {
  if (!DAY.test(text) || readIsoTime(text) === null)
    throw badRequest(`${name} must be a day of the calendar, such as 2026-11-28`)
  return dayBounds(text)
}
