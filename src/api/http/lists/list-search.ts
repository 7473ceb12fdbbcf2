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
 * Narrows a window to the newest rows that a search looks at. `searchedBackTo`: the time at which it stops, in ms precision; null where
 * the window has no more rows than that.
 */
export async function narrowToSearched<Window extends ListWindow>(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  { window, end }: { window: Window; end: SearchEnd },
): Promise<{ window: Window; searchedBackTo: Date | null }> {
  const values = { merchantId, mode, ...olderBounds(null, window), rows: MAX_ROWS_SEARCHED }
  const [stop] = await db.query(end, bindValues(end, values))
  return stop === undefined
    ? { window, searchedBackTo: null }
    : { window: { ...window, createdAfter: stop.at }, searchedBackTo: stop.at }
}
