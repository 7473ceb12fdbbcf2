import { type FailingSwitch, lockSwitches, type MerchantTerms, spendSwitch } from '../merchants/merchant.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import type { PayoutFailure } from '../rails/rail.ts'

/** The switches "next test payout fails" of some merchants, locked for one commit (rails.md 2.4). */
export type Switches = {
  /** The reason why this merchant's next test payout fails, or null. Takes one from the count. */
  take(merchantId: number): PayoutFailure | null
  /** The statements that store what was taken. */
  writes(): Call[]
}

const NONE: Switches = { take: () => null, writes: () => [] }

/** Locks the switches of those merchants that have one armed; `terms` was read in this transaction. Test mode only. */
export async function openSwitches(
  tx: Tx,
  terms: readonly Pick<MerchantTerms, 'id' | 'failNextPayouts'>[],
): Promise<Switches> {
  const armed = terms.filter((terms) => terms.failNextPayouts > 0).map((terms) => terms.id)
  if (armed.length === 0) return NONE
  const [rows] = await tx.send(lockSwitches(armed))
  const switches = new Map(rows.map((row) => [row.merchantId, { ...row }]))
  const spent = new Set<FailingSwitch>()
  return {
    take(merchantId) {
      const found = switches.get(merchantId)
      if (!found || found.left === 0) return null
      found.left -= 1
      spent.add(found)
      return found.reason as PayoutFailure
    },
    writes: () => [...spent].map(spendSwitch),
  }
}
