import { badRequest } from '../../platform/refusal.ts'
import { monthBounds } from '../../platform/time/kampala.ts'

/** A calendar month in Kampala. `end` is the first moment after it. */
export type StatementPeriod = { name: string; label: string; start: Date; end: Date }

const PERIOD = /^([0-9]{4}-[0-9]{2})(\.pdf)?$/
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Parses the month of `GET /v1/statements/{period}` and whether its PDF is asked for. Throws 400. */
export function parsePeriod(text: string): { period: StatementPeriod; pdf: boolean } {
  const [, name = '', suffix] = PERIOD.exec(text) ?? []
  const bounds = monthBounds(name)
  if (bounds === null) throw badRequest('period must be YYYY-MM (optionally .pdf)')
  const label = `${MONTHS[Number(name.slice(5)) - 1]} ${name.slice(0, 4)}`
  return { period: { name, label, ...bounds }, pdf: suffix !== undefined }
}
