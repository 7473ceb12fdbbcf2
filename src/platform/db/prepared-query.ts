import type { PoolClient, QueryResult } from 'pg'
import pg from 'pg'

export type Prepared = { name: string; text: string; values: readonly unknown[] }
type Told = (error: Error | null | undefined, result: QueryResult) => void

/**
 * Runs a statement that the connection prepares under its name at its first use. Errors are the server's own, with the stack of whoever
 * asked. The driver's own way with an object of settings copies that object property by property, which takes longer than all else
 * that it does before sending.
 */
export const queryPrepared = (client: PoolClient, { name, text, values }: Prepared): Promise<QueryResult> =>
  new Promise<QueryResult>((resolve, reject) => {
    const query: object = new PreparedQuery(name, text, [...values], (error, result) =>
      error === null || error === undefined ? resolve(result) : reject(error),
    )
    client.query(query as pg.Submittable)
  }).catch((error: Error) => {
    Error.captureStackTrace(error)
    throw error
  })

class PreparedQuery extends (pg.Query as unknown as new (
  text: string,
  values: unknown[],
  told: Told,
) => object) {
  readonly name: string

  constructor(name: string, text: string, values: unknown[], told: Told) {
    super(text, values, told)
    this.name = name
  }
}
