import type { Mode } from '../mode.ts'
import { type Call, call } from './database.ts'
import type { Statement } from './statement.ts'
import { encodeArray, putText, putTime, putWhole } from './wire/binary.ts'

// Element types as the server numbers them.
const [BIGINT, TEXT, TIMESTAMPTZ] = [20, 25, 1184] as const
const putBigint = (value: number | null) => putWhole(value, 8)

/**
 * Makes a column of a set-based statement, in binary: the server has nothing to parse, and nothing has to be escaped. The statement must
 * name the type of each column: `$1::bigint[]` for numbers.
 */
export const numberColumn = (values: readonly (number | null)[]): Buffer => encodeArray(values, BIGINT, putBigint)

/** A column for `$1::text[]`. */
export const textColumn = (values: readonly (string | null)[]): Buffer => encodeArray(values, TEXT, putText)

/** A column for `$1::timestamptz[]`. */
export const timeColumn = (values: readonly (Date | null)[]): Buffer => encodeArray(values, TIMESTAMPTZ, putTime)

/** A column for `$1::mode[]`, as text, because the number of this type differs from database to database. */
export const modeColumn = (values: readonly Mode[]): string => writeArrayText(values, identity)

/** A column with the same number, time or plain word for each of `count` rows, as text. */
export const repeatedColumn = (value: string | number, count: number): string =>
  writeArrayText(new Array<string | number>(count).fill(value), identity)

/**
 * SQL for the rows of such columns, of these types. Each array is read by a sub-select, so that the planner assumes the same length in
 * every call and keeps one plan. Otherwise it would plan again for every small batch, which costs more than running it.
 */
export const unnestColumns = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`

/** SQL for the pairs of merchant and id in the first two columns. */
export const MERCHANT_AND_ID_ROWS = `(select * from ${unnestColumns('bigint', 'text')})`

/** The names of the fields of a row whose values are of this type. */
type FieldOfType<Row, Value> = { [Name in keyof Row]-?: Row[Name] extends Value ? Name : never }[keyof Row]

/** Makes columns of the named fields, by the type of their values. */
type ColumnWriters<Row> = {
  numbers(...names: FieldOfType<Row, number | null>[]): Buffer[]
  texts(...names: FieldOfType<Row, string | null>[]): Buffer[]
  times(...names: FieldOfType<Row, Date | null>[]): Buffer[]
  modes(name: FieldOfType<Row, Mode>): string[]
  values(...names: (keyof Row)[]): unknown[]
}

/**
 * Makes columns of the fields of these rows, in the order of the names: `...each.texts('id', 'status'), ...each.numbers('amount')`.
 * `values`
 * leaves the writing to the driver: for booleans and bytes.
 */
export function toColumns<Row>(rows: readonly Row[]): ColumnWriters<Row> {
  // Each name was checked by `Field`: its values are of this type.
  const column = <Value>(name: keyof Row) => rows.map((row) => row[name] as Value)
  return {
    numbers: (...names) => names.map((name) => numberColumn(column(name))),
    texts: (...names) => names.map((name) => textColumn(column(name))),
    times: (...names) => names.map((name) => timeColumn(column(name))),
    modes: (name) => [modeColumn(column(name))],
    values: (...names) => names.map((name) => column(name)),
  }
}

/** Makes the call of a statement that takes columns of these rows; no call where there are no rows. */
export const callForRows = <Row, Answer>(
  statement: Statement<Answer>,
  rows: readonly Row[],
  valuesOf: (each: ColumnWriters<Row>) => readonly unknown[],
): Call<Answer>[] => (rows.length === 0 ? [] : [call(statement, ...valuesOf(toColumns(rows)))])

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
  valuesOf: (each: ColumnWriters<Row>) => readonly unknown[],
): RowCall<Row, Answer> => {
  const callOf = (rows: readonly Row[]) => call(statement, ...valuesOf(toColumns(rows)))
  return new SingleRowCall(statement, { row, name, callOf })
}

/** Encodes its values only when it is sent alone: a call that is joined with others never needs them. */
export class SingleRowCall<Row, Answer = unknown> implements RowCall<Row, Answer> {
  readonly statement: Statement<Answer>
  readonly joins: RowCall<Row, Answer>['joins']

  constructor(statement: Statement<Answer>, joins: RowCall<Row, Answer>['joins']) {
    this.statement = statement
    this.joins = joins
  }

  get values(): unknown[] {
    return this.joins.callOf([this.joins.row]).values
  }
}

/**
 * Joins calls into as few as possible: calls of one statement for single rows become one call, at the position of the first. Only for calls
 * whose order does not matter, except that two calls for the same row keep theirs.
 */
export function joinRowCalls(calls: readonly Call[]): Call[] {
  const groups = new Map<Statement, { rows: unknown[]; names: Set<string> }>()
  const joined: (() => Call)[] = []
  for (const single of calls) {
    const { joins } = single as Partial<RowCall<unknown, unknown>>
    const group = groups.get(single.statement)
    if (joins === undefined || (joins.name !== null && group?.names.has(joins.name))) joined.push(() => single)
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

const identity = <Value>(value: Value): Value => value

function writeArrayText<Row>(rows: readonly Row[], read: (row: Row) => string | number): string {
  let text = '{'
  for (let at = 0; at < rows.length; at += 1) text += (at === 0 ? '' : ',') + read(rows[at] as Row)
  return `${text}}`
}
