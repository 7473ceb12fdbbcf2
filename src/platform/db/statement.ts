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
}
export type Copied = { table: string; columns: readonly string[]; types: readonly string[] }

const registered = new Map<string, Statement>()

export function statement<Row>(name: string, text: string, copies?: Copied): Statement<Row> {
  if (registered.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = copies === undefined ? { name, text } : { name, text, copies }
  registered.set(name, made)
  return made
}

export function allStatements(): readonly Statement[] {
  return [...registered.values()]
}
