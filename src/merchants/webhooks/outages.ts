import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

/** An outage of a receiver that its people were not told of yet. `waiting` counts the events that it has not taken. */
type ReceiverOutage = {
  merchantId: number
  since: Date
  waiting: number
  lastResponseCode: number | null
  lastError: string | null
}

// Five minutes outlast a restart and still reach people while customers wait. An outage that comes and goes is reported once an hour.
const TOLD_AFTER = '5 minutes'
const TOLD_AGAIN_AFTER = '1 hour'
const FIND_UNTOLD = statement<ReceiverOutage>(
  'untold outages of receivers',
  `select r.merchant_id as "merchantId", r.failing_since as since, w.waiting, w.code as "lastResponseCode", w.error as "lastError"
   from receivers r join merchants m on m.id = r.merchant_id and m.active cross join lateral (
     select count(*)::int as waiting, (array_agg(d.last_response_code order by d.created_at desc))[1] as code,
       (array_agg(d.last_error order by d.created_at desc))[1] as error
     from (select * from deliveries d where d.merchant_id = r.merchant_id and d.next_attempt_at is not null and d.attempts > 0
       order by d.next_attempt_at limit 1000) d) w
   where r.failing_since <= $1::timestamptz - interval '${TOLD_AFTER}' and coalesce(r.last_success_at, '-infinity') < r.failing_since
     and coalesce(r.failing_told_at, '-infinity') < least(r.failing_since, $1::timestamptz - interval '${TOLD_AGAIN_AFTER}') and w.waiting > 0
   order by r.failing_since limit 100`,
)
const RECORD_TOLD = statement<{ merchantId: number }>(
  'outage of receiver told',
  `update receivers set failing_told_at = $3 where merchant_id = $1 and failing_since = $2 returning merchant_id as "merchantId"`,
)

/** Reads the outages of some minutes that were not reported yet, the oldest first; at most 100. */
export const readUntoldOutages = (app: App, at: Date): Promise<ReceiverOutage[]> =>
  app.db.query(FIND_UNTOLD, [at.toISOString()])

/** Records that the people of a receiver were told of this outage. */
export async function recordOutageTold(app: App, { merchantId, since }: ReceiverOutage, at: Date): Promise<void> {
  await app.db.query(RECORD_TOLD, [merchantId, since.toISOString(), at.toISOString()])
}
