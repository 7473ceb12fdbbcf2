import type { Connection, PoolClient, QueryResult } from 'pg'
import pg from 'pg'
import type { Mode } from '../../mode.ts'
import { type RowCall, SingleRowCall } from '../columns.ts'
import type { Call } from '../database.ts'
import { statement } from '../statement.ts'
import {
  beginData,
  beginRow,
  endData,
  putBoolean,
  putBytes,
  putJson,
  putLarge,
  putReal,
  putText,
  putTime,
  putWhole,
} from './binary.ts'

/** A column that is written: its type in the table, and `put`, which writes the value of a row into the data. */
export type CopyColumn<Row> = { readonly type: string; put(row: Row): void }

// Every insert of many rows is a COPY in binary: no text of arrays on either side, no plan, and pages filled row after row. It is
// cheaper than an INSERT for a single row too.

export const bigint = <Row>(read: (row: Row) => number | null): CopyColumn<Row> => ({
  type: 'bigint',
  put: (row) => putWhole(read(row), 8),
})
/** A bigint column whose numbers may be larger than a safe integer. */
export const largeBigint = <Row>(read: (row: Row) => bigint): CopyColumn<Row> => ({
  type: 'bigint',
  put: (row) => putLarge(read(row)),
})
export const integer = <Row>(read: (row: Row) => number | null): CopyColumn<Row> => ({
  type: 'integer',
  put: (row) => putWhole(read(row), 4),
})
export const smallint = <Row>(read: (row: Row) => number | null): CopyColumn<Row> => ({
  type: 'smallint',
  put: (row) => putWhole(read(row), 2),
})
export const real = <Row>(read: (row: Row) => number | null): CopyColumn<Row> => ({
  type: 'real',
  put: (row) => putReal(read(row)),
})
export const text = <Row>(read: (row: Row) => string | null): CopyColumn<Row> => ({
  type: 'text',
  put: (row) => putText(read(row)),
})
export const mode = <Row>(read: (row: Row) => Mode): CopyColumn<Row> => ({
  type: 'mode',
  put: (row) => putText(read(row)),
})
export const boolean = <Row>(read: (row: Row) => boolean | null): CopyColumn<Row> => ({
  type: 'boolean',
  put: (row) => putBoolean(read(row)),
})
export const time = <Row>(read: (row: Row) => Date | null): CopyColumn<Row> => ({
  type: 'timestamp with time zone',
  put: (row) => putTime(read(row)),
})
/** `read` returns the text of the JSON. */
export const jsonb = <Row>(read: (row: Row) => string | null): CopyColumn<Row> => ({
  type: 'jsonb',
  put: (row) => putJson(read(row)),
})
export const bytea = <Row>(read: (row: Row) => Uint8Array | null): CopyColumn<Row> => ({
  type: 'bytea',
  put: (row) => putBytes(read(row)),
})

/** Makes the calls that add rows to one table. */
type TableCopy<Row> = {
  /** One call for all of these rows; none where there are no rows. */
  rows(rows: readonly Row[]): Call[]
  /** A call for one row, which `joinRowCalls` joins with others for the same table. */
  row(row: Row): RowCall<Row>
}

/**
 * Declares how rows are added to a table: its columns, each with its type and how to get its value from a row. A row that breaks a
 * constraint fails the call with the server's own error, like an insert, and nothing of the call is stored.
 */
export function copyInto<Row>(
  name: string,
  table: string,
  columns: Readonly<Record<string, CopyColumn<Row>>>,
): TableCopy<Row> {
  const names = Object.keys(columns)
  const writers = Object.values(columns)
  const types = writers.map(({ type }) => type)
  const made = statement(name, `copy ${table} (${names.join(', ')}) from stdin (format binary)`, {
    copies: { table, columns: names, types },
  })
  const encode = (rows: readonly Row[]): Call => {
    beginData()
    for (const row of rows) {
      beginRow(writers.length)
      for (const column of writers) column.put(row)
    }
    return { statement: made, values: [endData()] }
  }
  return {
    rows: (rows) => (rows.length === 0 ? [] : [encode(rows)]),
    row: (row) => new SingleRowCall(made, { row, name: null, callOf: encode }),
  }
}

/**
 * Sends the statement, its data and their end at once, without waiting for the server to ask for the data. A server that has refused the
 * statement skips the data, so the connection stays in step.
 */
class CopyIn extends pg.Query {
  private readonly statement: string
  private readonly data: Buffer

  constructor(statement: string, data: Buffer) {
    super({ text: statement })
    this.statement = statement
    this.data = data
  }

  override submit = (connection: Connection): void => {
    connection.query(this.statement)
    // Not `sendCopyFromChunk`: it would copy the data once more.
    if (connection.stream.writable) connection.stream.write(this.data)
  }

  handleCopyInResponse(): void {
    // The data that the server asks for is on its way.
  }
}

/** Runs a COPY whose data `copyInto` has made. */
export const runCopy = (client: PoolClient, copy: string, data: Buffer): Promise<QueryResult> =>
  new Promise((resolve, reject) => {
    const query: object = Object.assign(new CopyIn(copy, data), {
      callback: (error: Error | null, result: QueryResult) =>
        error === null || error === undefined ? resolve(result) : reject(error),
    })
    client.query(query as pg.Submittable)
  })
