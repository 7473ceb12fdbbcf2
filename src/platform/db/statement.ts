/**
 * A statement of the product: constant text, a name under which the server keeps its plan, and the type of its rows.
 * Every one is registered, so that a test can PREPARE them all against the migrated schema and read their text.
 */
export type Statement<Row = unknown> = {
  readonly name: string
  readonly text: string
  readonly row?: Row
  /** Of a COPY: what it writes. Its one value is the data (db/copy.ts). */
  readonly copies?: Copied
  /**
   * Planned once for each connection and for all values. Otherwise the server plans it at each use as long as it believes that a plan for
   * the values at hand is the better one. Only where all values want the same plan; to say so costs about 35 µs a use.
   */
  readonly plannedOnce?: true
}
export type Copied = { table: string; columns: readonly string[]; types: readonly string[] }

const registered = new Map<string, Statement>()

export function statement<Row>(
  name: string,
  text: string,
  more: Pick<Statement, 'copies' | 'plannedOnce'> = {},
): Statement<Row> {
  if (registered.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, text, ...more }
  registered.set(name, made)
  return made
}

export function allStatements(): readonly Statement[] {
  return [...registered.values()]
}
