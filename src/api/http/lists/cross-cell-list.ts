import { reachedCells } from '../../../platform/db/cell-watch.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { badRequest } from '../../../platform/refusal.ts'
import type { App, Gateway } from '../../../program/app.ts'

/** A row of a list over all cells: `at` orders it, `key` tells rows of the same time apart. */
type OrderedRow = { at: Date; key: string }

/**
 * A list over all cells, ordered by time. Both statements take a bound (time and key) and a number of rows: `forward` reads on from the
 * bound in the order of the list, `backward` reads towards the beginning.
 */
export type CrossCellList<Row extends OrderedRow> = {
  forward: Statement<Row>
  backward: Statement<Row>
  /** The newest comes first. */
  descending?: true
}

/** The cursor of the row after which a page begins, or before which it ends. */
export type PageCursors = { after: string | null; before: string | null }
export type CrossCellPage<Row> = { rows: readonly Row[]; newer: string | null; older: string | null }

const ROWS_PER_PAGE = 25
const CURSOR = /^(\d{1,15})-([a-z0-9_-]{1,40})$/i

/**
 * Reads one page of a list over all cells. `newer` and `older` are the cursors of the pages before and after it. Throws 400 for a wrong
 * cursor.
 */
export async function readCrossCellPage<Row extends OrderedRow>(
  gateway: Pick<Gateway, 'cells' | 'cellWatch'>,
  list: CrossCellList<Row>,
  { after, before }: PageCursors,
): Promise<CrossCellPage<Row>> {
  const isBackward = before !== null
  const bound = parseBound(before ?? after, list.descending === true)
  const statement = isBackward ? list.backward : list.forward
  const read = (app: App) => app.db.query(statement, [...bound, ROWS_PER_PAGE + 1])
  const found = (await Promise.all(reachedCells(gateway).map(read))).flat()
  const sign = (list.descending === true) === isBackward ? 1 : -1
  found.sort((a, b) => sign * (a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1)))
  const more = found.length > ROWS_PER_PAGE
  // Where fewer rows come before the bound than fill a page, the first page is shown.
  if (isBackward && !more) return readCrossCellPage(gateway, list, { after: null, before: null })
  const rows = found.slice(0, ROWS_PER_PAGE)
  if (isBackward) rows.reverse()
  return {
    rows,
    newer: isBackward || after !== null ? formatCursor(rows[0]) : null,
    older: isBackward || more ? formatCursor(rows.at(-1)) : null,
  }
}

const formatCursor = (row: OrderedRow | undefined) => (row === undefined ? null : `${row.at.getTime()}-${row.key}`)

function parseBound(cursor: string | null, descending: boolean): [at: string, key: string] {
  if (cursor === null) return descending ? ['infinity', '~'] : ['-infinity', '']
  const [, ms = '', key = ''] = CURSOR.exec(cursor) ?? []
  if (key === '') throw badRequest('invalid cursor')
  return [new Date(Number(ms)).toISOString(), key]
}
