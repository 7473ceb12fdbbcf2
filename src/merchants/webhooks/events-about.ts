import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { EventType } from './events.ts'

/** An event about an object, with the state of its delivery; null fields where the delivery was pruned. */
export type EventWithDelivery = {
  id: string
  type: EventType
  createdAt: Date
  status: DeliveryStatus | null
  attempts: number | null
  lastResponseCode: number | null
  lastError: string | null
  nextAttemptAt: Date | null
  deliveredAt: Date | null
}

const OF_SUBJECTS = statement<EventWithDelivery>(
  'events of subjects',
  `select e.id, e.type, e.created_at as "createdAt", d.status, d.attempts, d.last_response_code as "lastResponseCode",
     d.last_error as "lastError", d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt"
   from events e left join deliveries d on d.merchant_id = e.merchant_id and d.event_id = e.id
   where e.merchant_id = $1 and e.subject = any($2::text[]) and e.mode = $3 order by e.created_at, e.id limit 50`,
)

/** Reads the events about these objects with their deliveries, oldest first; at most 50. */
export const readEventsAbout = (
  app: App,
  { merchantId, mode }: Caller,
  subjects: readonly string[],
): Promise<EventWithDelivery[]> => app.db.query(OF_SUBJECTS, [merchantId, subjects, mode])
