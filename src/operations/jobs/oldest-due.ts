import { mayPayOutSql } from '../../payments/payouts/find-stop.ts'
import { statement } from '../../platform/db/statement.ts'

const oldestSql = (sweep: string, time: string, from: string) =>
  `select '${sweep}' as sweep, (select ${time} from ${from} order by 1 limit 1) as due`

/**
 * The oldest due row of each task whose rows have a due time, each from the first entry of an index. Payouts of stopped
 * accounts wait on purpose.
 */
export const OLDEST_DUE = statement<{ sweep: string; due: Date | null }>(
  'oldest due rows of tasks',
  [
    // The first entry of each mode, because the index begins with the mode.
    oldestSql(
      'follow-charges',
      'follow_at',
      `((select follow_at from charges where mode = 'test' and follow_at is not null order by follow_at limit 1) union all
        (select follow_at from charges where mode = 'live' and follow_at is not null order by follow_at limit 1)) c`,
    ),
    oldestSql('follow-top-ups', 'follow_at', 'top_ups where follow_at is not null'),
    oldestSql(
      'send-payouts',
      'follow_at',
      `(select p.follow_at, p.merchant_id, p.mode from payouts p where p.follow_at is not null order by p.follow_at limit 200) p
         join ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode
         where ${mayPayOutSql('h')}`,
    ),
    oldestSql(
      'run-schedules',
      'next_run_at',
      `(select s.next_run_at, s.merchant_id, s.mode from schedules s where s.status = 'active' order by s.next_run_at limit 200) s
         join merchants m on m.id = s.merchant_id and m.active
         join ledger_heads h on h.merchant_id = s.merchant_id and h.mode = s.mode
         where ${mayPayOutSql('h')}`,
    ),
    oldestSql('run-standing-orders', 'try_at', 'standing_orders where try_at is not null'),
    oldestSql('send-deliveries', 'next_attempt_at', 'deliveries where next_attempt_at is not null'),
    oldestSql('refund-jams', 'refund_due_at', 'vending_orders where refund_due_at is not null'),
    `select 'seal-audit', (select a.at from audit_to_seal q join audit a on a.id = q.audit_id order by q.audit_id limit 1)`,
  ].join(' union all '),
)
