import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

// $2 are the seconds before each attempt, the first included. Index: deliveries_due.
const SET_BACK = statement<{ id: string }>(
  'set back attempts of deliveries',
  `update deliveries d set next_attempt_at = $1
   from (select merchant_id, event_id from deliveries where next_attempt_at > $1::timestamptz + interval '1 minute'
     and next_attempt_at > $1::timestamptz + interval '1 minute' + coalesce(($2::int[])[attempts + 1], 0) * interval '1 second'
     limit $3 for no key update skip locked) far
   where d.merchant_id = far.merchant_id and d.event_id = far.event_id returning d.event_id as id`,
)

/** Makes deliveries due now whose next attempt is further ahead than the ladder allows: it was set before the clock stepped back. */
export const setBackDeliveries = (now: Date, delaySeconds: readonly number[], most: number): Call<{ id: string }> =>
  call(SET_BACK, now.toISOString(), delaySeconds, most)
