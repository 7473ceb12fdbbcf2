import { defineLane } from '../../../platform/batches/lane.ts'
import { type MerchantTurns, newMerchantTurns } from '../../../platform/batches/merchant-turns.ts'

export type BulkTurns = MerchantTurns

// A call has 30 s from its first byte (reliability.md 6.2), and waiting for a turn uses them up.
const MAX_TURN_WAIT_MS = 20_000
const MAX_WAITING_CALLS = { waiting: 400, ofOne: 100 }
// When a merchant sends many calls at once, a pause of this many times the duration of a call follows each, because a thousand payouts
// keep the process and the database busy and payments that arrive meanwhile would wait.
const PAUSE_FACTOR = 2

// Enough calls at once that merchants whose rows are locked do not hold up the others; the gate bounds the connections.
const CALLS_AT_ONCE = 16

/** The turns in which bulk calls run. */
export const bulkTurns = defineLane('bulk payouts', () => newBulkTurns())

export const newBulkTurns = (): BulkTurns =>
  newMerchantTurns({ places: CALLS_AT_ONCE, waitMs: MAX_TURN_WAIT_MS, most: MAX_WAITING_CALLS })

/** Runs one bulk call in its turn: the calls of a merchant one after the other, with a pause after each while more of them wait. */
export async function inBulkTurn<T>(turns: BulkTurns, merchantId: number, work: () => Promise<T>): Promise<T> {
  await turns.wait(merchantId)
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    turns.freeSlot()
    if (turns.isWaiting(merchantId))
      setTimeout(turns.freeMerchant, (performance.now() - startedAt) * PAUSE_FACTOR, merchantId)
    else turns.freeMerchant(merchantId)
  }
}
