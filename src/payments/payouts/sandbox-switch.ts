import { type FailingSwitch, lockSwitches, type MerchantTerms, spendSwitch } from '../../merchants/account/merchant.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { PayoutFailure } from '../../rails/rail.ts'

/** The switches "next test payout fails" of some merchants, locked for one commit (rails.md 2.4). */
export type SandboxSwitches = {
  /** Takes one from the merchant's count and returns the reason why its next test payout fails; null when no switch is armed. */
  take(merchantId: number): PayoutFailure | null
  /** Returns the statements that store what was taken. */
  writes(): Call[]
}

const NO_SWITCHES: SandboxSwitches = { take: () => null, writes: () => [] }

/** Locks the switches of those merchants that have one armed. `terms` must have been read in this transaction. Test mode only. */
export async function openSwitches(
  tx: Tx,
  terms: readonly Pick<MerchantTerms, 'id' | 'failNextPayouts'>[],
): Promise<SandboxSwitches> {
  const armed = terms.filter((terms) => terms.failNextPayouts > 0).map((terms) => terms.id)
  if (armed.length === 0) return NO_SWITCHES
  const [rows] = await tx.send(lockSwitches(armed))
  const switches = new Map(rows.map((row) => [row.merchantId, { ...row }]))
  const spent = new Set<FailingSwitch>()
  return {
    take(merchantId) {
      const armedSwitch = switches.get(merchantId)
      if (!armedSwitch || armedSwitch.left === 0) return null
      armedSwitch.left -= 1
      spent.add(armedSwitch)
      return armedSwitch.reason as PayoutFailure
    },
    writes: () => [...spent].map(spendSwitch),
  }
}
