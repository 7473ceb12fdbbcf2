import type { Mode } from '../mode.ts'
import { arrayOf, putText, putTime, putWhole } from './binary.ts'
import { type Call, call } from './database.ts'
import type { Statement } from './statement.ts'

// Element types as the server numbers them.
const [BIGINT, TEXT, TIMESTAMPTZ] = [20, 25, 1184] as const
const putBigint = (value: number | null) => putWhole(value, 8)

/**
 * Makes a column of a set-based statement, in binary: the server has nothing to parse, and nothing has to be escaped. The statement must
 * name the type of each column: `$1::bigint[]` for numbers.
 */
export const numbers = (values: readonly (number | null)[]): Buffer => arrayOf(values, BIGINT, putBigint)

/** A column for `$1::text[]`. */
export const words = (values: readonly (string | null)[]): Buffer => arrayOf(values, TEXT, putText)

/** A column for `$1::timestamptz[]`. */
export const times = (values: readonly (Date | null)[]): Buffer => arrayOf(values, TIMESTAMPTZ, putTime)

/** A column for `$1::mode[]`, as text, because the number of this type differs from database to database. */
export const modes = (values: readonly Mode[]): string => written(values, itself)

/** A column with the same number, time or plain word for each of `count` rows, as text. */
export const repeated = (value: string | number, count: number): string =>
  written(new Array<string | number>(count).fill(value), itself)

/**
 * SQL for the rows of such columns, of these types. Each array is read by a sub-select, so that the planner assumes the same length in
 * every
 * call and keeps one plan. Otherwise it would plan again for every small batch, which costs more than running it.
 */
export const rowsOf = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`

/** SQL for the pairs of merchant and id in the first two columns. */
export const PLACES = `(select * from ${rowsOf('bigint', 'text')})`

/** The names of the fields of a row whose values are of this type. */
type Field<Row, Value> = { [Name in keyof Row]-?: Row[Name] extends Value ? Name : never }[keyof Row]

/** Makes columns of the named fields, by the type of their values. */
type Columns<Row> = {
  numbers(...names: Field<Row, number | null>[]): Buffer[]
  words(...names: Field<Row, string | null>[]): Buffer[]
  times(...names: Field<Row, Date | null>[]): Buffer[]
  modes(name: Field<Row, Mode>): string[]
  values(...names: (keyof Row)[]): unknown[]
}

/**
 * Makes columns of the fields of these rows, in the order of the names: `...each.texts('id', 'status'), ...each.numbers('amount')`.
 * `values`
 * leaves the writing to the driver: for booleans and bytes.
 */
export function columnsOf<Row>(rows: readonly Row[]): Columns<Row> {
  // Each name was checked by `Field`: its values are of this type.
  const column = <Value>(name: keyof Row) => rows.map((row) => row[name] as Value)
  return {
    numbers: (...names) => names.map((name) => numbers(column(name))),
    words: (...names) => names.map((name) => words(column(name))),
    times: (...names) => names.map((name) => times(column(name))),
    modes: (name) => [modes(column(name))],
    values: (...names) => names.map((name) => column(name)),
  }
}

/** Makes the call of a statement that takes columns of these rows; no call where there are no rows. */
export const callForRows = <Row, Answer>(
  statement: Statement<Answer>,
  rows: readonly Row[],
  valuesOf: (each: Columns<Row>) => readonly unknown[],
): Call<Answer>[] => (rows.length === 0 ? [] : [call(statement, ...valuesOf(columnsOf(rows)))])

/** A call, for one row, of a statement that takes columns. `joinRowCalls` joins several of them into one call. */
export type RowCall<Row, Answer = unknown> = Call<Answer> & {
  readonly joins: {
    row: Row
    /** Rows with the same name never share a call, because a statement changes a row only once. Null where rows are only added. */
    name: string | null
    callOf(rows: readonly Row[]): Call
  }
}

/** Makes the call of a statement that takes columns, for one row. */
export const callForRow = <Row, Answer>(
  statement: Statement<Answer>,
  { row, name }: { row: Row; name: string | null },
  valuesOf: (each: Columns<Row>) => readonly unknown[],
): RowCall<Row, Answer> => {
  const callOf = (rows: readonly Row[]) => call(statement, ...valuesOf(columnsOf(rows)))
  return { ...callOf([row]), joins: { row, name, callOf } }
}

/**
 * Joins calls into as few as possible: calls of one statement for single rows become one call, at the position of the first. Only for calls
 * whose order does not matter, except that two calls for the same row keep theirs.
 */
export function joinRows(calls: readonly Call[]): Call[] {
  const groups = new Map<Statement, { rows: unknown[]; names: Set<string> }>()
  const joined: (() => Call)[] = []
  for (const single of calls) {
    const { joins } = single as Partial<RowCall<unknown, unknown>>
    const group = groups.get(single.statement)
    if (joins === undefined || (joins.name !== null && group?.names.has(joins.name)))
      joined.push(() => single)
    else if (group === undefined) {
      const rows = [joins.row]
      groups.set(single.statement, { rows, names: new Set(joins.name === null ? [] : [joins.name]) })
      joined.push(() => joins.callOf(rows))
    } else {
      group.rows.push(joins.row)
      if (joins.name !== null) group.names.add(joins.name)
    }
  }
  return joined.map((make) => make())
}

const itself = <Value>(value: Value): Value => value

function written<Row>(rows: readonly Row[], read: (row: Row) => string | number): string {
  let text = '{'
  for (let at = 0; at < rows.length; at += 1) text += (at === 0 ? '' : ',') + read(rows[at] as Row)
  return `${text}}`
}
