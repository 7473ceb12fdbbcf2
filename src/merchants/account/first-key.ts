import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { CELL_KEY_COLUMN } from './api-keys.ts'

const FIND = statement<{ ciphertext: Buffer }>(
  'first test key',
  `select ciphertext from api_keys where merchant_id = $1 and kind = 'test' and revoked_at is null
   order by created_at, id limit 1`,
)

/**
 * Finds the test key that a sign-up has made, for the page after it. No audit row of its own: the creation of the account covers it. Null
 * once the key was revoked.
 */
export async function findFirstTestKey(app: App, merchantId: number): Promise<string | null> {
  const [row] = await app.db.query(FIND, [merchantId])
  if (!row) return null
  return app.vault.open(row.ciphertext, { merchantId, purpose: 'test', column: CELL_KEY_COLUMN })
}
