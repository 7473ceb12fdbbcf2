import { assert } from './assert.ts'
import { type Call, call, type Database } from './db/database.ts'
import { type Statement, statement } from './db/statement.ts'
import { badRequest } from './refusal.ts'

/** A list whose rows lie in several places (cells, the directory), in one order of time. */
export type MergedList<Row> = { older: Statement<Row>; newer: Statement<Row> }
/** One page, newest first, with the cursors beside it; null where there is no page. */
export type MergedPage<Row> = { rows: Row[]; newer: string | null; older: string | null }
/** Where a page stands: behind a cursor, before one, or at the newest row. */
export type MergedWindow = { after?: string | undefined; before?: string | undefined; limit: number }

type Timed = { id: string }
const CURSOR = /^(\d{1,15})-([a-z0-9_]{1,60})$/
const LAST = ['infinity', 'zzzz'] as const

/**
 * Declares the statement of such a list. Its text reads rows that are older than ($1, $2), newest first, at most $3, and writes these
 * two places as `{beyond}` and `{order}`; `by` is the column of time. Filters begin at $4.
 */
export function mergedList<Row>(name: string, by: string, text: string): MergedList<Row> {
  assert(text.includes('{beyond}') && text.includes('{order}'), `${name} has the places of a merged list`)
  const id = by.includes('.') ? `${by.split('.')[0]}.id` : 'id'
  const filled = (compare: string, order: string) =>
    text
      .replaceAll('{beyond}', `(${by}, ${id}) ${compare} ($1::timestamptz, $2)`)
      .replaceAll('{order}', `${by} ${order}, ${id} ${order} limit $3`)
  return {
    older: statement<Row>(name, filled('<', 'desc')),
    newer: statement<Row>(`${name}, newer`, filled('>', 'asc')),
  }
}

/** Reads one page of all places. `timeOf` answers the time by which they are ordered. Throws 400 for a cursor that is none. */
export async function readMerged<Row extends Timed>(
  {
    places,
    timeOf,
  }: {
    places: readonly { db: Database; list: MergedList<Row>; filters: readonly unknown[] }[]
    timeOf(row: Row): Date
  },
  { after, before, limit }: MergedWindow,
): Promise<MergedPage<Row>> {
  const forward = before !== undefined
  const bound = before ?? after
  const from = bound === undefined ? LAST : readCursor(bound)
  const asked: Promise<Row[]>[] = places.map(({ db, list, filters }) => {
    const wanted: Call<Row> = call(forward ? list.newer : list.older, ...from, limit + 1, ...filters)
    return db.query(wanted.statement, wanted.values)
  })
  const sign = forward ? 1 : -1
  // Sorting is stable: rows of one place and one time stay in the order of their database.
  const all = (await Promise.all(asked))
    .flat()
    .sort((a, b) => sign * (timeOf(a).getTime() - timeOf(b).getTime()))
  const taken = all.slice(0, limit)
  const more = all.length > limit
  if (forward && !more) return readMerged({ places, timeOf }, { limit })
  const rows = forward ? taken.reverse() : taken
  const cursor = (row: Row | undefined) => (row === undefined ? null : `${timeOf(row).getTime()}-${row.id}`)
  return {
    rows,
    newer: forward || after !== undefined ? cursor(rows[0]) : null,
    older: forward || more ? cursor(rows.at(-1)) : null,
  }
}

function readCursor(text: string): readonly [string, string] {
  const [, ms = '', id = ''] = CURSOR.exec(text) ?? []
  const at = new Date(Number(ms))
  if (ms === '' || Number.isNaN(at.getTime())) throw badRequest('invalid cursor')
  return [at.toISOString(), id]
}
