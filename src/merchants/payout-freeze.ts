import type { App, Gateway } from '../app.ts'
import { freezeHead } from '../ledger/book.ts'
import { statement } from '../platform/db/statement.ts'

const FREEZE_PLATFORM = statement(
  'freeze platform payouts',
  'update payout_freeze set frozen = $1, reason = $2, changed_at = $3',
)

/** Freezes the platform's live payouts, or lets them run (reason null). Reserving transactions read that row (G70). */
export async function freezePlatform(gateway: Gateway, reason: string | null): Promise<void> {
  await gateway.directory.query(FREEZE_PLATFORM, [reason !== null, reason, gateway.clock.now().toISOString()])
}

/** Freezes one account's live payouts. The pause of an open exception is another column and stays. */
export async function freezeAccount(app: App, merchantId: number, reason: string | null): Promise<void> {
  const freeze = freezeHead(merchantId, 'live', reason)
  await app.db.query(freeze.statement, freeze.values)
}
