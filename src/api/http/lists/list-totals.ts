import type { NamedValues } from '../../../platform/db/named-parameters.ts'
import { bindValues, type Statement, statement } from '../../../platform/db/statement.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import type { App } from '../../../program/app.ts'
import type { ListSelection } from './list-pieces.ts'
import { type ListedRow, type ListWindow, olderBounds } from './lists.ts'

/**
 * The totals of a filtered list: how many rows, and over those that were paid the sums in whole UGX;
 * `attempted`: the amount of all of them. `more`: there are more rows than
 * `count`, and then nothing is summed.
 */
export type ListTotals = { count: number; more: boolean; paid: number; amount: number; fees: number; attempted: number }

/** The number of rows of a filtered list; `more`: there are more than `count`. */
export type ListCount = Pick<ListTotals, 'count' | 'more'>

/** No list is counted further than this. */
const MAX_ROWS_COUNTED = 10_000

type TotalsRow = Omit<ListTotals, 'more'>
type TotalsSql = {
  /** The condition for rows that were paid, as SQL. */
  paid: string
  /**
   * SQL that selects these columns of the rows with a further condition: of `:merchantId` in `:mode`, from `:from` until `:until`, with
   * the filters by their names.
   */
  rows(columns: string, condition: string): string
  /** The names of the filters. */
  filters: readonly string[]
}
const TOTALS_PARAMETERS = ['merchantId', 'mode', 'from', 'until', 'maxRows']

/**
 * Declares the statement that adds up a filtered list. It counts the rows first, from the index alone where that has all filters, and
 * reads their amounts only when there are few enough.
 */
export const totalsStatement = (name: string, { paid, rows, filters }: TotalsSql): Statement<TotalsRow> =>
  statement(
    name,
    `with counted as materialized (select count(*)::int as count from (select from (${rows('', '')}) r limit :maxRows) r)
     select (select count from counted) as count, count(*) filter (where paid)::int as paid,
       coalesce(sum(amount) filter (where paid), 0)::bigint as amount,
       coalesce(sum(fee) filter (where paid), 0)::bigint as fees, coalesce(sum(amount), 0)::bigint as attempted
     from (${rows(`amount, fee, ${paid} as paid`, 'and (select count from counted) < :maxRows')}) r`,
    { order: [...TOTALS_PARAMETERS, ...filters] },
  )

/** Adds up the rows of a filtered list between the bounds of its window. */
export async function readTotals(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  { window, statement, filters }: { window: ListWindow; statement: Statement<TotalsRow>; filters: NamedValues },
): Promise<ListTotals> {
  const from = window.createdAfter?.toISOString() ?? '-infinity'
  const until = window.createdBefore?.toISOString() ?? 'infinity'
  const values = { merchantId, mode, from, until, maxRows: MAX_ROWS_COUNTED + 1, ...filters }
  const [row] = await db.query(statement, bindValues(statement, values))
  const { count = 0, ...sums } = row ?? { paid: 0, amount: 0, fees: 0, attempted: 0 }
  return { ...sums, count: Math.min(count, MAX_ROWS_COUNTED), more: count > MAX_ROWS_COUNTED }
}

/** Counts the rows of a filtered list between the bounds of its window. */
export async function countRows<Row extends ListedRow>(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  { window, statement, filters }: ListSelection<Row>,
): Promise<ListCount> {
  const values = { merchantId, mode, ...olderBounds(null, window), limit: MAX_ROWS_COUNTED + 1, ...filters }
  const [row] = await db.query(statement.counted, bindValues(statement.counted, values))
  const count = row?.count ?? 0
  return { count: Math.min(count, MAX_ROWS_COUNTED), more: count > MAX_ROWS_COUNTED }
}
