import { assert } from '../../../platform/assert.ts'
import { type Statement, statement } from '../../../platform/db/statement.ts'

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

const SINCE = /\b(\w+)\.created_at >= \$3/g
const OLDER = /\((\w+)\.created_at, (\w+\.\w+)\) < \(\$4, \$5\)/g

/**
 * Declares the statements of a list. `text` reads older rows: from $3 on, older than ($4, $5), newest first. The other direction is made
 * from it, so that both always have the same filters and columns.
 */
export function listStatement<Row>(name: string, text: string, options?: typeof PLANNED_ONCE): ListStatement<Row> {
  assert(text.search(SINCE) >= 0 && text.search(OLDER) >= 0, `${name} has the bounds of a list`)
  const newer = text
    .replace(SINCE, '$1.created_at <= $3')
    .replace(OLDER, '($1.created_at, $2) > ($4, $5)')
    .replace(/ desc\b/g, '')
  return {
    older: statement<Row>(name, text, options),
    newer: statement<Row>(`${name}, newer`, newer, options),
    counted: statement(`${name}, counted`, `select count(*)::int as count from (${text}) rows`),
  }
}
