import type { App, Gateway } from '../app.ts'
import type { Statement } from '../platform/db/statement.ts'
import { badRequest } from '../platform/refusal.ts'

/** What every row of such a list has: the time that orders it, and what tells rows of one time apart. */
export type Ordered = { at: Date; key: string }

/**
 * A list over all cells in the order of a time. Both statements take the bound (time and key) and how many rows: `onward` goes on from it
 * in the order of the list, `back` towards its beginning.
 */
export type AcrossCells<Row extends Ordered> = {
  onward: Statement<Row>
  back: Statement<Row>
  /** The newest comes first. */
  descending?: true
}

/** The row that a page begins after, or ends before. */
export type Around = { after: string | null; before: string | null }
export type AcrossPage<Row> = { rows: readonly Row[]; newer: string | null; older: string | null }

const PAGE = 25
const CURSOR = /^(\d{1,15})-([a-z0-9_-]{1,40})$/i

/** Reads one page of such a list. `newer` and `older` are the cursors of the pages before and after it. Throws Refusal. */
export async function readAcross<Row extends Ordered>(
  { cells }: Pick<Gateway, 'cells'>,
  list: AcrossCells<Row>,
  { after, before }: Around,
): Promise<AcrossPage<Row>> {
  const isBack = before !== null
  const bound = boundOf(before ?? after, list.descending === true)
  const statement = isBack ? list.back : list.onward
  const read = (app: App) => app.db.query(statement, [...bound, PAGE + 1])
  const found = (await Promise.all(cells.map(read))).flat()
  const sign = (list.descending === true) === isBack ? 1 : -1
  found.sort((a, b) => sign * (a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1)))
  const more = found.length > PAGE
  // A page that would be cut short at the beginning is the first one.
  if (isBack && !more) return readAcross({ cells }, list, { after: null, before: null })
  const rows = found.slice(0, PAGE)
  if (isBack) rows.reverse()
  return {
    rows,
    newer: isBack || after !== null ? cursorOf(rows[0]) : null,
    older: isBack || more ? cursorOf(rows.at(-1)) : null,
  }
}

const cursorOf = (row: Ordered | undefined) => (row === undefined ? null : `${row.at.getTime()}-${row.key}`)

function boundOf(cursor: string | null, descending: boolean): [at: string, key: string] {
  if (cursor === null) return descending ? ['infinity', '~'] : ['-infinity', '']
  const [, ms = '', key = ''] = CURSOR.exec(cursor) ?? []
  if (key === '') throw badRequest('invalid cursor')
  return [new Date(Number(ms)).toISOString(), key]
}
