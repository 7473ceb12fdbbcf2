import type { FieldDef, PoolClient, QueryResult } from 'pg'
import pg from 'pg'

export type PreparedStatement = { name: string; text: string; values: readonly unknown[] }
type QueryCallback = (error: Error | null | undefined, result: QueryResult) => void

/**
 * Runs a statement that the connection prepares under its name at its first use. Errors are the server's own, with the stack of the caller.
 * The driver's own way, an object of settings, copies that object property by property, which takes longer than all else that it does
 * before sending.
 */
export const queryPrepared = (client: PoolClient, { name, text, values }: PreparedStatement): Promise<QueryResult> =>
  new Promise<QueryResult>((resolve, reject) => {
    const query: object = new PreparedQuery(name, text, [...values], (error, result) =>
      error === null || error === undefined ? resolve(result) : reject(error),
    )
    client.query(query as pg.Submittable)
  }).catch((error: Error) => {
    Error.captureStackTrace(error)
    throw error
  })

type DriverConnection = { describe(what: object): void }
/** The driver's form of the server's description of an answer: its columns, and how each is parsed. */
type ResultShape = { fields: FieldDef[]; _parsers: unknown; _prebuiltEmptyResultObject: unknown }
/** The part of the driver's query class that is used here. */
type DriverQuery = {
  _result: ResultShape
  _accumulateRows: boolean
  hasBeenParsed(connection: DriverConnection): boolean
  prepare(connection: DriverConnection): void
  handleReadyForQuery(connection: DriverConnection): void
}
const Query = pg.Query as unknown as new (text: string, values: unknown[], told: QueryCallback) => DriverQuery

// The result shapes of statements that were answered before, by their text.
const resultShapes = new Map<string, ResultShape>()
const connectionsWithoutDescribe = new WeakMap<DriverConnection, DriverConnection>()

/**
 * Describes each prepared statement once. The driver would have every answer described again; the server refuses a prepared statement
 * whose answer would have other columns than before, so one description is enough. The others cost a tenth of what a small statement costs.
 */
class PreparedQuery extends Query {
  readonly name: string
  private readonly sent: string
  private described = true

  constructor(name: string, text: string, values: unknown[], told: QueryCallback) {
    super(text, values, told)
    this.name = name
    this.sent = text
  }

  override prepare(connection: DriverConnection): void {
    const shape = this.hasBeenParsed(connection) ? resultShapes.get(this.sent) : undefined
    if (shape !== undefined) {
      Object.assign(this._result, shape)
      this._accumulateRows = true
      this.described = false
    }
    super.prepare(this.described ? connection : withoutDescribe(connection))
  }

  override handleReadyForQuery(connection: DriverConnection): void {
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    if (this.described) resultShapes.set(this.sent, { fields, _parsers, _prebuiltEmptyResultObject })
    super.handleReadyForQuery(connection)
  }
}

/** Returns a view of the connection on which `describe` does nothing. */
function withoutDescribe(connection: DriverConnection): DriverConnection {
  const cached = connectionsWithoutDescribe.get(connection)
  if (cached !== undefined) return cached
  const made = Object.assign(Object.create(connection), { describe() {} }) as DriverConnection
  connectionsWithoutDescribe.set(connection, made)
  return made
}
