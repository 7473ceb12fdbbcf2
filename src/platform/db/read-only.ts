import type { Database } from './database.ts'
import { statement } from './statement.ts'

const READ_ONLY = statement<{ readOnly: boolean }>(
  'does the database take writes',
  `select current_setting('transaction_read_only') = 'on' or pg_is_in_recovery() as "readOnly"`,
)

/** Whether the server takes no writes: a standby, or a restored backup that has not been opened. Throws DatabaseAway. */
export async function isReadOnly(directory: Pick<Database, 'query'>): Promise<boolean> {
  const [answer] = await directory.query(READ_ONLY)
  return answer?.readOnly ?? false
}
