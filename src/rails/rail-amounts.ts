import type { Mode } from '../platform/mode.ts'
import { domainRefusal, type Refusal } from '../platform/refusal.ts'
import type { Config } from '../settings/config.ts'

/** An amount that is to travel, whole UGX: in test mode it travels nowhere and has no such limits. */
type Travelling = { mode: Mode; side: 'collect' | 'disburse'; amount: number }
export type RailLimits = Pick<Config, 'railCollectMin' | 'railCollectMax' | 'railPayoutMin' | 'railPayoutMax'>

/**
 * The limits of one live movement at the operator (`RAIL_COLLECT_MIN` and so on), judged before anything is written and
 * before a phone is asked. Null when it may travel, else the refusal.
 */
export function railRefusal({ mode, side, amount }: Travelling, limits: RailLimits): Refusal | null {
  if (mode === 'test') return null
  const [least, most] =
    side === 'collect'
      ? [limits.railCollectMin, limits.railCollectMax]
      : [limits.railPayoutMin, limits.railPayoutMax]
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

/** The same as a rule. Throws Refusal. */
export function judgeRailAmount(travelling: Travelling, limits: RailLimits): void {
  const refusal = railRefusal(travelling, limits)
  if (refusal !== null) throw refusal
}
