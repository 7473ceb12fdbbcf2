import type { Mode } from '../platform/mode.ts'
import { domainRefusal, type Refusal } from '../platform/refusal.ts'
import type { Config } from '../program/settings/config.ts'

/** An amount to send or collect, in whole UGX. In test mode it goes to no operator and has no such limits. */
type TravellingAmount = { mode: Mode; side: 'collect' | 'disburse'; amount: number }
export type RailLimits = Pick<Config, 'railCollectMin' | 'railCollectMax' | 'railPayoutMin' | 'railPayoutMax'>

/**
 * Judges an amount by the limits of the operator for one live movement (`RAIL_COLLECT_MIN` and so on), before anything is written
 * and before a phone is asked. Returns the refusal, or null when it may travel.
 */
export function railRefusal({ mode, side, amount }: TravellingAmount, limits: RailLimits): Refusal | null {
  if (mode === 'test') return null
  const [least, most] =
    side === 'collect' ? [limits.railCollectMin, limits.railCollectMax] : [limits.railPayoutMin, limits.railPayoutMax]
  if (amount < least)
    return domainRefusal('amount_too_small', `amount is below the operator's minimum of ${least}`, {
      field: 'amount',
    })
  if (amount > most)
    return domainRefusal('amount_too_large', `amount exceeds the operator's maximum of ${most}`, {
      field: 'amount',
    })
  return null
}

/** Throws the refusal of an amount outside the operator's limits. */
export function judgeRailAmount(travelling: TravellingAmount, limits: RailLimits): void {
  const refusal = railRefusal(travelling, limits)
  if (refusal !== null) throw refusal
}
