import { assert } from '../../../platform/assert.ts'
import { type Statement, statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'

/**
 * The statements of one list: `older` reads rows older than a row, newest first; `newer` reads newer ones, oldest first; `counted` counts
 * the rows that `older` would return.
 */
export type ListStatement<Row> = {
  older: Statement<Row>
  newer: Statement<Row>
  counted: Statement<{ count: number }>
}

/**
 * Option of a list whose statement finds very many rows of a large merchant. By itself the server believes that a plan for the values at
 * hand is better, plans each page again and finds the same plan each time. A statement that finds few rows is planned once without it.
 */
export const PLANNED_ONCE = { plannedOnce: true } as const

/**
 * The parameters that every list has, before those of its filters. A page begins behind its cursor (time and id) and ends at `bound`, the
 * time of the last row that the caller wants: the earliest one in `older`, the latest one in `newer`.
 */
const WINDOW_PARAMETERS = ['merchantId', 'mode', 'bound', 'cursorAt', 'cursorId', 'limit'] as const

/** The values of those parameters. Times are ISO texts or infinite. */
export type WindowValues = Record<'bound' | 'cursorAt' | 'cursorId', string> & {
  merchantId: number
  mode: Mode
  limit: number
}

const SINCE = /\b(\w+)\.created_at >= :bound\b/g
const OLDER = /\((\w+)\.created_at, (\w+\.\w+)\) < \(:cursorAt, :cursorId\)/g

/**
 * Declares the statements of a list. `text` reads older rows: from `:bound` on, older than (`:cursorAt`, `:cursorId`), newest first, at most
 * `:limit`. The other direction is made from it, so that both always have the same filters and columns. `filters`: the order of the
 * filters' parameters, where the text does not have them in the same order everywhere.
 */
export function listStatement<Row>(
  name: string,
  text: string,
  { filters = [], ...planned }: Partial<typeof PLANNED_ONCE> & { filters?: readonly string[] } = {},
): ListStatement<Row> {
  assert(text.search(SINCE) >= 0 && text.search(OLDER) >= 0, `${name} has the bounds of a list`)
  const order = [...WINDOW_PARAMETERS, ...filters]
  const newer = text
    .replace(SINCE, '$1.created_at <= :bound')
    .replace(OLDER, '($1.created_at, $2) > (:cursorAt, :cursorId)')
    .replace(/ desc\b/g, '')
  return {
    older: statement<Row>(name, text, { order, ...planned }),
    newer: statement<Row>(`${name}, newer`, newer, { order, ...planned }),
    counted: statement(`${name}, counted`, `select count(*)::int as count from (${text}) rows`, { order }),
  }
}
