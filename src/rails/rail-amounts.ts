import { domainRefusal } from '../platform/refusal.ts'
import type { Config } from '../settings/config.ts'

/** An amount that is to travel, whole UGX: in test mode it travels nowhere and has no such limits. */
type Travelling = { mode: 'test' | 'live'; side: 'collect' | 'disburse'; amount: number }
export type RailLimits = Pick<Config, 'railCollectMin' | 'railCollectMax' | 'railPayoutMin' | 'railPayoutMax'>

/**
 * The limits of one live movement at the operator (`RAIL_COLLECT_MIN` and so on). Throws Refusal,
 * before anything is written and before a phone is asked.
 */
export function judgeRailAmount({ mode, side, amount }: Travelling, config: RailLimits): void {
  if (mode === 'test') return
  const [least, most] =
    side === 'collect'
      ? [config.railCollectMin, config.railCollectMax]
      : [config.railPayoutMin, config.railPayoutMax]
  if (amount < least)
    throw domainRefusal('amount_too_small', `amount is below the operator's minimum of ${least}`)
  if (amount > most)
    throw domainRefusal('amount_too_large', `amount exceeds the operator's maximum of ${most}`)
}
