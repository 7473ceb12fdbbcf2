import type { PersonCaller } from '../../../api/access/actor.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { SECOND_PERSON } from './open-checks.ts'
import { checkerState } from './set-checker-rule.ts'

/**
 * Refuses a full live key where live payouts need two persons, because with the key one person could pay alone. Throws
 * Refusal.
 */
export async function judgeLiveKey(app: App, caller: PersonCaller): Promise<void> {
  const { above } = await checkerState(app, caller)
  if (above !== null)
    throw new Refusal(
      403,
      SECOND_PERSON,
      `live payouts of more than ${above} need a second person, and whoever has a full live key could pay alone: lift that rule first (another owner can agree to it at once), and set it again afterwards`,
    )
}
