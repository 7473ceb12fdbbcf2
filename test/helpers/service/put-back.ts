import pg from 'pg'
import type { TestService } from './test-service.ts'

/**
 * Sets rows to the state that a dead process would have left. The product never makes this change, so the guards of the tables are
 * off for this one connection.
 */
export async function putBack(
  { database, app }: Pick<TestService, 'database' | 'app'>,
  sql: string,
  values: unknown[],
): Promise<void> {
  const options = `-c search_path=${app.cell},directory -c session_replication_role=replica`
  const client = new pg.Client({ connectionString: database.url, options })
  await client.connect()
  try {
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}
