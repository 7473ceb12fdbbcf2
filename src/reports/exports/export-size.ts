import type { Totals } from '../../http/list-totals.ts'
import type { ListWindow } from '../../http/lists.ts'
import type { ReportSize } from '../../platform/report-turns.ts'

/** A file of few rows never waits behind one of many. */
export const sizeOf = ({ more }: Totals): ReportSize => (more ? 'large' : 'small')

/** The filters of a list as the audit keeps them. */
export const filtersOf = <Filter extends ListWindow>(filter: Filter) => {
  const { limit: _limit, startingAfter: _after, endingBefore: _before, ...rest } = filter
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      value === null ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
    ),
  )
}
