import { assert } from '../platform/assert.ts'
import { type Statement, statement } from '../platform/db/statement.ts'

/** The two directions of one list: older than a row, newest first; and newer than it, oldest first. And how many rows the first would answer. */
export type ListStatement<Row> = {
  older: Statement<Row>
  newer: Statement<Row>
  counted: Statement<{ count: number }>
}

const SINCE = /\b(\w+)\.created_at >= \$3/g
const OLDER = /\((\w+)\.created_at, (\w+\.\w+)\) < \(\$4, \$5\)/g

/**
 * Declares the statement of a list. Its text reads older rows: from $3 on, older than ($4, $5), newest first; the other direction is made of
 * it, so that both always have the same filters and columns.
 */
export function listStatement<Row>(name: string, text: string): ListStatement<Row> {
  assert(text.search(SINCE) >= 0 && text.search(OLDER) >= 0, `${name} has the bounds of a list`)
  const newer = text
    .replace(SINCE, '$1.created_at <= $3')
    .replace(OLDER, '($1.created_at, $2) > ($4, $5)')
    .replace(/ desc\b/g, '')
  return {
    older: statement<Row>(name, text),
    newer: statement<Row>(`${name}, newer`, newer),
    counted: statement(`${name}, counted`, `select count(*)::int as count from (${text}) rows`),
  }
}
