import { mayPayOutSql } from '../../../payments/payouts/find-stop.ts'
import { statement } from '../../../platform/db/statement.ts'
import { type CellFinding, type Check, cellCheck } from '../check.ts'

/** Rows of a queue that have been due for so long that no worker is on it. `amount` is in seconds there. */
const late = (queue: string, from: string, due: string, after: string) => `
  select '${queue}' as subject, count(*) as count, 0 as amount, min(due) as since, '' as examples
  from (select ${due} as due from ${from} and ${due} <= $1::timestamptz - interval '${after}' order by 1 limit 1000) x
  having count(*) > 0`
// Payouts of a stopped account wait on purpose.
const BEHIND = statement<CellFinding>(
  'alert: sweep behind',
  [
    // Both modes by name: the index of due times begins with the mode.
    late(
      'follow-charges',
      `charges c where c.follow_at is not null and c.mode in ('test', 'live')`,
      'c.follow_at',
      '5 minutes',
    ),
    late('follow-top-ups', 'top_ups t where t.follow_at is not null', 't.follow_at', '5 minutes'),
    late(
      'send-payouts',
      `payouts p join ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode
         where p.follow_at is not null and ${mayPayOutSql('h')}`,
      'p.follow_at',
      '5 minutes',
    ),
    late(
      'settle-charges',
      `ledger_heads h cross join lateral (select hold_until from charges c
           where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null and c.hold_until is not null
           order by c.hold_until limit 1) held where h.mode = 'live'`,
      'held.hold_until',
      '2 hours',
    ),
    late(
      'send-notices',
      `notices n where n.confirmed_at is not null and n.stopped_at is null and (n.payments_above is not null or n.failures)
         and (n.hour_from is null or n.hour_from < $1::timestamptz - interval '1 hour')`,
      'n.told_until',
      '90 minutes',
    ),
    late('seal-audit', 'audit_to_seal q join audit a on a.id = q.audit_id where true', 'a.at', '5 minutes'),
    late(
      'seal-events',
      `event_seal_mark m join events e on e.written_in >= pg_snapshot_xmax(m.snapshot)
         where e.written_in < pg_snapshot_xmin(pg_current_snapshot())
           and not exists (select 1 from event_seals s where s.event_id = e.id and s.merchant_id = e.merchant_id)`,
      'e.created_at',
      '5 minutes',
    ),
    late('run-schedules', `schedules s where s.status = 'active'`, 's.next_run_at', '10 minutes'),
    late('run-standing-orders', 'standing_orders o where o.try_at is not null', 'o.try_at', '10 minutes'),
    late(
      'send-deliveries',
      `deliveries d where d.next_attempt_at is not null and d.attempts = 0`,
      'd.next_attempt_at',
      '10 minutes',
    ),
  ].join(' union all '),
)

/** Checks of the queues that background tasks work off. */
export const QUEUE_CHECKS: readonly Check[] = [
  cellCheck({
    kind: 'sweep_behind',
    query: BEHIND,
    message: ({ subject, count }) =>
      `the task ${subject} is behind: ${count === 1000 ? 'at least 1000' : count} rows are overdue`,
  }),
]
