import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { FloorAccount } from './accounts.ts'
import type { HeadPlace } from './head-places.ts'

const HEAD = statement<Record<FloorAccount, number>>(
  'ledger head to show',
  'select available, pending, in_flight from ledger_heads where merchant_id = $1 and mode = $2',
)

/** The three balances of a merchant in one mode, in whole UGX, read without a lock. */
export async function readHead(
  db: Database,
  { merchantId, mode }: HeadPlace,
): Promise<Record<FloorAccount, number>> {
  const [head] = await db.query(HEAD, [merchantId, mode])
  return head ?? { available: 0, pending: 0, in_flight: 0 }
}
