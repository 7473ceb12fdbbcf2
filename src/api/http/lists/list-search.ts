import { bindValues } from '../../../platform/db/statement.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import type { App } from '../../../program/app.ts'
import { type ListStatement, listStatement } from './list-statement.ts'
import {
  invalidCursor,
  type ListedRow,
  type ListPage,
  type ListPageInput,
  type ListWindow,
  newerBounds,
  olderBounds,
  readListPage,
} from './lists.ts'

/** A filter that no index answers looks at this many rows of a list, the newest ones. */
export const MAX_ROWS_SEARCHED = 5000

/** What the description of such a list says. */
export const SEARCHED_IN_STEPS = `Filters beside \`status\`, \`reference\`, \`phone\` and \`email\` look at ${MAX_ROWS_SEARCHED.toLocaleString('en')} rows a page: it may then have few rows or none while \`has_more\` is true, and \`next_cursor\` goes on from there.`

type SearchEnd = ListStatement<ListedRow>

/**
 * Declares the statements that find the row at which a search stops. `branches`: each selects `"createdAt"` and `id` of rows within `:bound`
 * and (`:cursorAt`, `:cursorId`), newest first, at most `:limit`.
 */
export const searchEndStatement = (name: string, branches: readonly string[]): SearchEnd =>
  listStatement<ListedRow>(
    name,
    `select "createdAt", id from (${branches.map((branch) => `(${branch})`).join(' union all ')}) r
     order by "createdAt" desc, id desc offset :limit - 1 limit 1`,
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
  const values = { merchantId, mode, ...olderBounds(null, filter), limit: MAX_ROWS_SEARCHED }
  const [stop] = await db.query(end.older, bindValues(end.older, values))
  return stop === undefined
    ? { filter, searchedBackTo: null }
    : { filter: { ...filter, createdAfter: stop.createdAt }, searchedBackTo: stop.createdAt }
}

/**
 * Reads one page of a filter that no index answers, for programs: it looks at so many rows from its cursor on. Where they do not fill the
 * page, it may be short or empty, and its cursor is the row at which it stopped: whoever follows the cursors misses nothing.
 */
export async function readSearchedPage<Row extends ListedRow>(
  app: Pick<App, 'db'>,
  owner: MerchantMode,
  { end, ...reading }: ListPageInput<Row> & { end: SearchEnd },
): Promise<ListPage<Row>> {
  const { window, find } = reading
  const isNewer = window.endingBefore != null
  const name = window.endingBefore ?? window.startingAfter
  const cursor = name === null ? null : await find(name)
  if (name !== null && cursor === null) throw invalidCursor(isNewer ? 'ending_before' : 'starting_after')
  const statement = isNewer ? end.newer : end.older
  const bounds = isNewer && cursor !== null ? newerBounds(cursor, window) : olderBounds(cursor, window)
  const { merchantId, mode } = owner
  const values = { merchantId, mode, ...bounds, limit: MAX_ROWS_SEARCHED }
  const [stop] = await app.db.query(statement, bindValues(statement, values))
  if (stop === undefined) return readListPage(app, owner, reading)
  const narrowed = isNewer ? { ...window, createdBefore: stop.createdAt } : { ...window, createdAfter: stop.createdAt }
  const page = await readListPage(app, owner, { ...reading, window: narrowed })
  if (page.hasMore) return page
  // Rows of the moment at which the search stopped were looked at, also those behind the stop.
  const last = isNewer ? page.data[0] : page.data.at(-1)
  const isAtStop = last?.createdAt.getTime() === stop.createdAt.getTime()
  return { ...page, hasMore: true, nextCursor: isAtStop ? last.id : stop.id }
}
