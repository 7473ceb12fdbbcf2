import { statement } from '../../../platform/db/statement.ts'
import { type CellFinding, type Check, cellCheck } from '../check.ts'

// Overdue by an hour although the receiver took the last attempt, or has had none. Index: deliveries_due.
const WEBHOOKS_LATE = statement<CellFinding>(
  'alert: late webhooks',
  `select 'webhooks' as subject, count(*) as count, 0 as amount, min(due) as since, '' as examples
   from (select d.next_attempt_at as due from deliveries d left join receivers r on r.merchant_id = d.merchant_id
     where d.next_attempt_at <= $1::timestamptz - interval '1 hour' and coalesce(r.lane = 'fast' and r.good_in_a_row > 0, true)
     order by d.next_attempt_at limit 1000) late
   having count(*) > 0`,
)
// One row a merchant in receivers; for those that fail, the first entry of deliveries_due_of.
const RECEIVER_FAILING = statement<CellFinding>(
  'alert: failing receivers',
  `select m.public_id as subject, 1 as count, 0 as amount, w.since, w.event_id as examples
   from receivers r join merchants m on m.id = r.merchant_id and m.active cross join lateral (
     select d.created_at as since, d.event_id from deliveries d
     where d.merchant_id = r.merchant_id and d.next_attempt_at is not null and d.attempts > 0
       and d.created_at <= $1::timestamptz - interval '24 hours' order by d.next_attempt_at limit 1) w
   where r.good_in_a_row = 0 and coalesce(r.last_success_at, '-infinity') <= $1::timestamptz - interval '24 hours'
   order by 1 limit 100`,
)
// Two steps into the indexes webhook_addresses_failing and webhook_addresses_stopped. One that stays switched off is known after a week.
const ADDRESS_FAILING = statement<CellFinding>(
  'alert: failing webhook addresses',
  `select m.public_id || ' ' || a.id as subject, 1 as count, 0 as amount, a.since, a.state as examples
   from ((select merchant_id, id, failing_since as since, state from webhook_addresses
       where failing_since <= $1::timestamptz - interval '24 hours' and state = 'active' and mode = 'live' and removed_at is null
       order by failing_since limit 100)
     union all (select merchant_id, id, coalesce(failing_since, state_since), state from webhook_addresses
       where state = 'switched_off' and state_since > $1::timestamptz - interval '7 days' and mode = 'live' and removed_at is null
       order by state_since desc limit 100)) a
   join merchants m on m.id = a.merchant_id and m.active order by 1`,
)
/** Checks of webhooks that are not sent, and of receivers that take none. */
export const WEBHOOK_CHECKS: readonly Check[] = [
  cellCheck({
    kind: 'webhooks_late',
    query: WEBHOOKS_LATE,
    message: ({ count }) =>
      `${count === 1000 ? 'at least 1000' : count} webhooks to receivers that answer are overdue by more than an hour`,
  }),
  cellCheck({
    kind: 'receiver_failing',
    query: RECEIVER_FAILING,
    message: ({ subject, examples }) =>
      `the receiver of ${subject} has taken no webhook for 24 hours (the oldest: ${examples})`,
  }),
  cellCheck({
    kind: 'address_failing',
    query: ADDRESS_FAILING,
    message({ subject, examples }) {
      const [merchant, address] = subject.split(' ')
      const what =
        examples === 'switched_off'
          ? 'was switched off after three days of nothing but errors'
          : 'has answered nothing but errors for 24 hours'
      return `the webhook address ${address} of ${merchant} ${what}`
    },
  }),
]
