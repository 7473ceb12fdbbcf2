/**
 * A statement of the product: constant text, a name under which the server keeps its plan, and the type of its rows. Every statement is
 * registered, so that a test can PREPARE all of them against the migrated schema and check their text.
 */
export type Statement<Row = unknown> = {
  readonly name: string
  readonly text: string
  readonly row?: Row
  /** For a COPY: the table and columns that it writes. Its one value is the data (db/copy.ts). */
  readonly copies?: CopyTarget
  /**
   * Planned once for each connection, for all values. Otherwise the server plans it at each use as long as it believes that a plan for the
   * values at hand is better. Only for statements whose values all need the same plan; the setting costs about 35 µs a use.
   */
  readonly plannedOnce?: true
}
type CopyTarget = { table: string; columns: readonly string[]; types: readonly string[] }

const statementsByName = new Map<string, Statement>()

export function statement<Row>(
  name: string,
  text: string,
  more: Pick<Statement, 'copies' | 'plannedOnce'> = {},
): Statement<Row> {
  if (statementsByName.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, text, ...more }
  statementsByName.set(name, made)
  return made
}

export function listStatements(): readonly Statement[] {
  return [...statementsByName.values()]
}
