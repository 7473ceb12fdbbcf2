import { dayBounds } from '../platform/kampala.ts'
import { badRequest } from '../platform/refusal.ts'
import { isoMs, readIsoTime } from '../platform/times.ts'

type Days = { readonly from?: string | undefined; readonly until?: string | undefined }

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/**
 * The days of a filter as the moments between which its rows lie, both included, in UTC: the one place where pages read a day of an
 * address. Throws 400 for what is no day of the calendar.
 */
export const readDays = ({ from, until }: Days): { from: string | undefined; until: string | undefined } => ({
  from: from === undefined ? undefined : isoMs(boundsOf('from', from).start),
  until: until === undefined ? undefined : isoMs(new Date(boundsOf('until', until).end.getTime() - 1)),
})

function boundsOf(name: string, text: string) {
  if (!DAY.test(text) || readIsoTime(text) === null)
    throw badRequest(`${name} must be a day of the calendar, such as 2026-11-28`)
  return dayBounds(text)
}
