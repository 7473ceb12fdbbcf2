import type { Caller } from '../../api/access/actor.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { DeliveryStatus } from './delivery.ts'

/** The deliveries that a merchant's receiver has not taken and that are tried again: how many, since when, and the newest failure. */
export type FailingSummary = {
  /** At most MAX_FAILING_COUNTED. */
  count: number
  since: Date
  next: Date
  eventId: string
  lastResponseCode: number | null
  lastError: string | null
}

export const MAX_FAILING_COUNTED = 1000
// Deliveries that are due now and were never tried come before the retries in this index, so more rows are read than counted.
const MAX_ROWS_READ = 5000
const FIND = statement<FailingSummary>(
  'failing deliveries of merchant',
  `select count(*)::int as count, min(created_at) as since, min(next_attempt_at) as next,
     (array_agg(event_id order by attempted_at desc nulls last, event_id))[1] as "eventId",
     (array_agg(last_response_code order by attempted_at desc nulls last, event_id))[1] as "lastResponseCode",
     (array_agg(last_error order by attempted_at desc nulls last, event_id))[1] as "lastError"
   from (select f.*, (select max(a.attempted_at) from delivery_attempts a
       where a.merchant_id = f.merchant_id and a.event_id = f.event_id and a.address_id is null) as attempted_at
     from (select w.* from (select d.* from deliveries d where d.merchant_id = $1 and d.next_attempt_at is not null
         order by d.next_attempt_at limit ${MAX_ROWS_READ}) w
       where w.mode = $2 and w.attempts > 0 order by w.next_attempt_at limit ${MAX_FAILING_COUNTED}) f) x
   having count(*) > 0`,
)

/** Finds the failing deliveries of the caller in its mode; null where nothing fails. */
export const findFailingDeliveries = (app: App, { merchantId, mode }: Caller): Promise<FailingSummary | null> =>
  firstRow(app.db.query(FIND, [merchantId, mode]))

type DeliveryProgress = { status: DeliveryStatus | null; attempts: number | null; nextAttemptAt: Date | null }

/** Whether a delivery was tried in vain and will be tried again. Its status alone does not tell: it is still `pending`. */
export const isFailing = ({ status, attempts, nextAttemptAt }: DeliveryProgress): boolean =>
  status === 'pending' && (attempts ?? 0) > 0 && nextAttemptAt !== null
