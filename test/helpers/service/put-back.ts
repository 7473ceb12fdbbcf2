import { connectToCell } from '../database/cell-server.ts'
import type { TestService } from './test-service.ts'

/**
 * Sets rows to the state that a dead process would have left. The product never makes this change, so the guards of the tables are
 * off for this one connection.
 */
export async function putBack(
  service: Pick<TestService, 'gateway' | 'database' | 'app'>,
  sql: string,
  values: unknown[],
): Promise<void> {
  const client = await connectToCell(service)
  try {
    await client.query('set session_replication_role = replica')
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}
