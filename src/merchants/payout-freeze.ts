import type { App, Gateway } from '../app.ts'
import { freezeHead } from '../ledger/book.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

const FREEZE_PLATFORM = statement(
  'freeze platform payouts',
  'update payout_freeze set frozen = $1, reason = $2, changed_at = $3',
)

const PLATFORM_FREEZE = statement<{ reason: string | null }>(
  'platform payout freeze',
  'select case when frozen then reason end as reason from payout_freeze',
)
const STOP_CELL = statement('stop payouts of cell', 'update payout_stops set frozen_for = $1')
const LOCK_STOPS = statement<{ frozenFor: string | null }>(
  'lock payout stops',
  'select frozen_for as "frozenFor" from payout_stops for share',
)

/**
 * Freezes the platform's live payouts, or lets them run (reason null). Every reserving transaction of a cell holds that
 * cell's copy, so when this returns none can slip behind it (G70; ledger.md 6).
 */
export async function freezePlatform(gateway: Gateway, reason: string | null): Promise<void> {
  await gateway.directory.query(FREEZE_PLATFORM, [reason !== null, reason, gateway.clock.now().toISOString()])
  await copyPlatformFreeze(gateway)
}

/** Writes the platform's freeze into each cell: after a change, and at a start, for a cell may be new. */
export async function copyPlatformFreeze(gateway: Gateway): Promise<void> {
  const [freeze] = await gateway.directory.query(PLATFORM_FREEZE)
  for (const app of gateway.cells)
    await app.db.transaction(async (tx) => {
      await tx.send(call(STOP_CELL, freeze?.reason ?? null))
      return { value: null }
    })
}

/** The platform's freeze as a reserving transaction reads it: locked until its commit. */
export const lockStops = (): Call<{ frozenFor: string | null }> => call(LOCK_STOPS)

/** Freezes one account's live payouts. The pause of an open exception is another column and stays. */
export async function freezeAccount(app: App, merchantId: number, reason: string | null): Promise<void> {
  const freeze = freezeHead(merchantId, 'live', reason)
  await app.db.query(freeze.statement, freeze.values)
}
