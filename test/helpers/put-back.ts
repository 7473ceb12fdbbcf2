import pg from 'pg'
import type { TestService } from './test-service.ts'

/**
 * Puts rows back to where a process would have left them that died: no move of the product, so the guards of the tables look
 * away for this one connection.
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
