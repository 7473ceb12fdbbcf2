import { assert } from '../assert.ts'
import { type NamedValues, numberParameters } from './named-parameters.ts'

/**
 * A statement of the product: constant text, a name under which the server keeps its plan, and the type of its rows. Every statement is
 * registered, so that a test can PREPARE all of them against the migrated schema and check their text.
 */
export type Statement<Row = unknown> = {
  readonly name: string
  readonly text: string
  /** The names of its parameters, in the order of their numbers; absent where the text numbers them itself. */
  readonly parameters?: readonly string[]
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

/**
 * Declares a statement. Parameters are `$1`, `$2` and so on, or `:name` where numbers would be a riddle: then `order` says which names
 * get the first numbers.
 */
export function statement<Row>(
  name: string,
  text: string,
  { order, ...more }: Pick<Statement, 'copies' | 'plannedOnce'> & { order?: readonly string[] } = {},
): Statement<Row> {
  if (statementsByName.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, ...numberParameters(text, order), ...more }
  statementsByName.set(name, made)
  return made
}

/** Puts values into the order of a statement's named parameters; names that the statement does not use are left out. */
export const bindValues = ({ name, parameters = [] }: Statement, values: NamedValues): unknown[] =>
  parameters.map((parameter) => {
    assert(values[parameter] !== undefined, `${name} has a value for its parameter ${parameter}`)
    return values[parameter]
  })

export function listStatements(): readonly Statement[] {
  return [...statementsByName.values()]
}
