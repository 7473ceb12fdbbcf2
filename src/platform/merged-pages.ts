import { assert } from './assert.ts'
import { type Call, call, type Database } from './db/database.ts'
import { type Statement, statement } from './db/statement.ts'
import { badRequest } from './refusal.ts'

/** A list whose rows are in several databases (cells, the directory), in one order of time. */
type MergedList<Row> = { older: Statement<Row>; newer: Statement<Row> }
/** One page, newest first, with the cursors of the pages before and after it; null where there is none. */
export type MergedPage<Row> = { rows: Row[]; newer: string | null; older: string | null }
/** The position of a page: after a cursor, before one, or at the newest row. */
export type MergedWindow = { after?: string | undefined; before?: string | undefined; limit: number }

type MergedRow = { id: string }
const CURSOR = /^(\d{1,15})-([a-z0-9_]{1,60})$/
const ABOVE_EVERY_ROW = ['infinity', 'zzzz'] as const

/**
 * Declares the statements of such a list. Its text reads rows older than ($1, $2), newest first, at most $3; it writes the bound as
 * `{beyond}` and the order with the limit as `{order}`. `by`: the column of time. Filters begin at $4.
 */
export function mergedList<Row>(name: string, by: string, text: string): MergedList<Row> {
  assert(text.includes('{beyond}') && text.includes('{order}'), `${name} has the places of a merged list`)
  const id = by.includes('.') ? `${by.split('.')[0]}.id` : 'id'
  const fill = (compare: string, order: string) =>
    text
      .replaceAll('{beyond}', `(${by}, ${id}) ${compare} ($1::timestamptz, $2)`)
      .replaceAll('{order}', `${by} ${order}, ${id} ${order} limit $3`)
  return {
    older: statement<Row>(name, fill('<', 'desc')),
    newer: statement<Row>(`${name}, newer`, fill('>', 'asc')),
  }
}

/** Reads one page from all databases. `timeOf` returns the time by which rows are ordered. Throws 400 for a wrong cursor. */
export async function readMergedPage<Row extends MergedRow>(
  {
    sources,
    timeOf,
  }: {
    sources: readonly { db: Database; list: MergedList<Row>; filters: readonly unknown[] }[]
    timeOf(row: Row): Date
  },
  { after, before, limit }: MergedWindow,
): Promise<MergedPage<Row>> {
  const forward = before !== undefined
  const bound = before ?? after
  const from = bound === undefined ? ABOVE_EVERY_ROW : parseCursor(bound)
  const reads: Promise<Row[]>[] = sources.map(({ db, list, filters }) => {
    const read: Call<Row> = call(forward ? list.newer : list.older, ...from, limit + 1, ...filters)
    return db.query(read.statement, read.values)
  })
  const sign = forward ? 1 : -1
  // Sorting is stable: rows of one database with the same time stay in its order.
  const found = (await Promise.all(reads)).flat().sort((a, b) => sign * (timeOf(a).getTime() - timeOf(b).getTime()))
  const page = found.slice(0, limit)
  const more = found.length > limit
  if (forward && !more) return readMergedPage({ sources, timeOf }, { limit })
  const rows = forward ? page.reverse() : page
  const cursor = (row: Row | undefined) => (row === undefined ? null : `${timeOf(row).getTime()}-${row.id}`)
  return {
    rows,
    newer: forward || after !== undefined ? cursor(rows[0]) : null,
    older: forward || more ? cursor(rows.at(-1)) : null,
  }
}

function parseCursor(text: string): readonly [string, string] {
  const [, ms = '', id = ''] = CURSOR.exec(text) ?? []
  const at = new Date(Number(ms))
  if (ms === '' || Number.isNaN(at.getTime())) throw badRequest('invalid cursor')
  return [at.toISOString(), id]
}
