import { statement } from '../../../platform/db/statement.ts'
import { type CellFinding, type Check, cellCheck } from '../check.ts'

// A machine that never reports is a case of its shop after a day. Index: dispense_claims_commanded.
const DISPENSING_LATE = statement<CellFinding>(
  'alert: late dispenses',
  `select 'dispenses' as subject, count(*) as count, 0 as amount, min(commanded_at) as since,
     array_to_string((array_agg(order_id order by commanded_at))[1:5], ', ') as examples
   from (select commanded_at, order_id from dispense_claims where state in ('commanding', 'accepted', 'ambiguous') and mode = 'live'
     and commanded_at <= $1::timestamptz - interval '10 minutes' and commanded_at > $1::timestamptz - interval '24 hours'
     order by commanded_at limit 1000) late
   having count(*) > 5`,
)
// Index: vending_orders_refunding.
const JAM_REFUNDS = statement<CellFinding>(
  'alert: open jam refunds',
  `select 'jams' as subject, count(*) as count, 0 as amount, min(created_at) as since,
     array_to_string((array_agg(id order by created_at))[1:5], ', ') as examples
   from (select created_at, id from vending_orders where refund_due_at is not null and mode = 'live'
     and created_at <= $1::timestamptz - interval '1 hour' order by refund_due_at limit 1000) open
   having count(*) > 0`,
)

/** Checks of vending machines that do not report and of refunds that their customers wait for. */
export const VENDING_CHECKS: readonly Check[] = [
  cellCheck({
    kind: 'dispensing_late',
    query: DISPENSING_LATE,
    message: ({ count, examples }) =>
      `${count} live dispenses were commanded more than 10 minutes ago without a report (${examples})`,
  }),
  cellCheck({
    kind: 'jam_refunds_open',
    query: JAM_REFUNDS,
    message: ({ count, examples }) => `${count} jams have waited for their refund for over an hour (${examples})`,
  }),
]
