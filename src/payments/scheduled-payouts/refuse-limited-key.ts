import type { Caller } from '../../api/access/actor.ts'
import { findLimitedKey } from '../../merchants/account/key-limits.ts'
import { Refusal } from '../../platform/refusal.ts'

/** Refuses (403) a key with a limit of the day what goes on sending money without the key, so that the limit could not hold it. */
export function refuseLimitedKey(caller: Caller): void {
  if (findLimitedKey(caller) !== null)
    throw new Refusal(
      403,
      'key_has_limit',
      'this API key may send only so much a day, and a schedule sends without it: make or resume it on the dashboard',
    )
}
