import { type MerchantTurns, merchantTurns } from '../platform/merchant-turns.ts'

export type BulkTurns = MerchantTurns

// A call has 30 s from its first byte (reliability.md 6.2); what it waits here it does not work.
const WAIT_MS = 20_000
const MOST = { waiting: 400, ofOne: 100 }
// Where a merchant sends many calls at once, this share of the time is left to everybody else: a thousand payouts keep both the
// process and its database busy, and a payment that arrives meanwhile would wait for them.
const PAUSE = 2

export const bulkTurns = (): BulkTurns => merchantTurns({ places: 2, waitMs: WAIT_MS, most: MOST })

/** Runs one bulk call in its turn: those of a merchant one after the other, and with pauses where more of them wait. */
export async function inBulkTurn<T>(
  turns: BulkTurns,
  merchantId: number,
  work: () => Promise<T>,
): Promise<T> {
  await turns.wait(merchantId)
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    turns.freePlace()
    if (turns.isWaiting(merchantId))
      setTimeout(turns.freeMerchant, (performance.now() - startedAt) * PAUSE, merchantId)
    else turns.freeMerchant(merchantId)
  }
}
