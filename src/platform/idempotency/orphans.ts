import { type Clock, later } from '../clock.ts'
import { type Call, call } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import type { KeyOwner } from './keys.ts'

/** A running key whose process has surely died over what it was making, or has been given up. */
export type Orphan = KeyOwner & { objectId: string }

// Clocks of two processes may differ a little. What lies further ahead was written before the clock stepped back, and how old
// it really is nobody can tell: finishing a key that is still being worked at does no harm, leaving one for an hour does.
const AHEAD_MS = 10_000
export const ORPHANS_AT_ONCE = 200
/**
 * How long a finisher tries again for one key, in ms: where everybody waits for connections it would else be the one who gives up
 * at the first, run after run, while the payments of the same process go on.
 */
export const ORPHAN_WAITS_MS = 5000

const ORPHANS = statement<Orphan>(
  'orphaned keys',
  `select merchant_id as "merchantId", mode, key, object_id as "objectId" from idempotency_keys
   where status is null and (created_at < $1 or created_at > $2) and starts_with(object_id, $3) order by created_at limit $4`,
)

/** When a running key counts as orphaned: stored before the first time, or after the second. */
export function orphanBounds(clock: Clock, afterMs: number): [before: string, after: string] {
  const now = clock.now()
  return [later(now, -afterMs).toISOString(), later(now, AHEAD_MS).toISOString()]
}

/** The oldest running keys of objects with this prefix that have been running for longer than this, by any clock. */
export const orphanedKeys = (
  clock: Clock,
  { prefix, afterMs }: { prefix: string; afterMs: number },
): Call<Orphan> => call(ORPHANS, ...orphanBounds(clock, afterMs), prefix, ORPHANS_AT_ONCE)
