import { bindValues, type Statement, statement } from '../../../platform/db/statement.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import type { App } from '../../../program/app.ts'
import { type ListWindow, olderBounds } from './lists.ts'

/** A filter that no index answers looks at this many rows of a list, the newest ones. */
export const MAX_ROWS_SEARCHED = 5000

type SearchEnd = Statement<{ at: Date }>

/**
 * Declares the statement that finds where a search stops. `branches`: each selects `at`, the creation time of rows within `:bound` and
 * (`:cursorAt`, `:cursorId`), newest first, at most `:rows`.
 */
export const searchEndStatement = (name: string, branches: readonly string[]): SearchEnd =>
  statement(
    name,
    `select at from (${branches.map((branch) => `(${branch})`).join(' union all ')}) r order by at desc offset :rows - 1 limit 1`,
    { order: ['merchantId', 'mode', 'bound', 'cursorAt', 'cursorId', 'rows'] },
  )

/**
 * Narrows a filter that no index answers to the newest rows of its window; others stay as they are. `searchedBackTo`: the time at which the
 * search stops, in ms; null where the window has no more rows than that.
 */
export async function narrowToSearched<Filter extends ListWindow>(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  { filter, isSearch, end }: { filter: Filter; isSearch: boolean; end: SearchEnd },
): Promise<{ filter: Filter; searchedBackTo: Date | null }> {
  if (!isSearch) return { filter, searchedBackTo: null }
  const values = { merchantId, mode, ...olderBounds(null, filter), rows: MAX_ROWS_SEARCHED }
  const [stop] = await db.query(end, bindValues(end, values))
  return stop === undefined
    ? { filter, searchedBackTo: null }
    : { filter: { ...filter, createdAfter: stop.at }, searchedBackTo: stop.at }
}
