import { statement } from '../platform/db/statement.ts'
import type { Look, Seen } from './look-around.ts'

// What a person looks at within the day (reliability.md 11.3).

// Overdue by an hour although the receiver took the last attempt, or has had none. Index: deliveries_due.
const WEBHOOKS_LATE = statement<Seen>(
  'alert: late webhooks',
  `select 'webhooks' as subject, count(*) as count, 0 as amount, min(due) as since, '' as examples
   from (select d.next_attempt_at as due from deliveries d left join receivers r on r.merchant_id = d.merchant_id
     where d.next_attempt_at <= $1::timestamptz - interval '1 hour' and coalesce(r.lane = 'fast' and r.good_in_a_row > 0, true)
     order by d.next_attempt_at limit 1000) late
   having count(*) > 0`,
)
// One row a merchant in receivers; for those that fail, the first entry of deliveries_due_of.
const RECEIVER_FAILING = statement<Seen>(
  'alert: failing receivers',
  `select m.public_id as subject, 1 as count, 0 as amount, w.since, w.event_id as examples
   from receivers r join merchants m on m.id = r.merchant_id and m.active cross join lateral (
     select d.created_at as since, d.event_id from deliveries d
     where d.merchant_id = r.merchant_id and d.next_attempt_at is not null and d.attempts > 0
       and d.created_at <= $1::timestamptz - interval '24 hours' order by d.next_attempt_at limit 1) w
   where r.good_in_a_row = 0 and coalesce(r.last_success_at, '-infinity') <= $1::timestamptz - interval '24 hours'
   order by 1 limit 100`,
)
// A machine that never reports is a case of its shop after a day. Index: dispense_claims_commanded.
const DISPENSING_LATE = statement<Seen>(
  'alert: late dispenses',
  `select 'dispenses' as subject, count(*) as count, 0 as amount, min(commanded_at) as since,
     array_to_string((array_agg(order_id order by commanded_at))[1:5], ', ') as examples
   from (select commanded_at, order_id from dispense_claims where state in ('commanding', 'accepted', 'ambiguous') and mode = 'live'
     and commanded_at <= $1::timestamptz - interval '10 minutes' and commanded_at > $1::timestamptz - interval '24 hours'
     order by commanded_at limit 1000) late
   having count(*) > 5`,
)
// Index: vending_orders_refunding.
const JAM_REFUNDS = statement<Seen>(
  'alert: open jam refunds',
  `select 'jams' as subject, count(*) as count, 0 as amount, min(created_at) as since,
     array_to_string((array_agg(id order by created_at))[1:5], ', ') as examples
   from (select created_at, id from vending_orders where refund_due_at is not null and mode = 'live'
     and created_at <= $1::timestamptz - interval '1 hour' order by refund_due_at limit 1000) open
   having count(*) > 0`,
)

export const LOOKS_OF_TODAY: readonly Look[] = [
  {
    kind: 'webhooks_late',
    rows: WEBHOOKS_LATE,
    says: ({ count }) =>
      `${count === 1000 ? 'at least 1000' : count} webhooks to receivers that answer are overdue by more than an hour`,
  },
  {
    kind: 'receiver_failing',
    rows: RECEIVER_FAILING,
    says: ({ subject, examples }) =>
      `the receiver of ${subject} has taken no webhook for 24 hours (the oldest: ${examples})`,
  },
  {
    kind: 'dispensing_late',
    rows: DISPENSING_LATE,
    says: ({ count, examples }) =>
      `${count} live dispenses were commanded more than 10 minutes ago without a report (${examples})`,
  },
  {
    kind: 'jam_refunds_open',
    rows: JAM_REFUNDS,
    says: ({ count, examples }) =>
      `${count} jams have waited for their refund for over an hour (${examples})`,
  },
]
