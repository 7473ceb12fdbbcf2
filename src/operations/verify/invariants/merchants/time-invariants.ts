import { MAX_HOLD_HOURS } from '../../../../merchants/account/max-hold.ts'
import { MAX_FREEZE_MS } from '../../../../merchants/account/payout-freeze.ts'
import { DELIVERY_LEASE_MS } from '../../../../merchants/webhooks/claim-deliveries.ts'
import { MAX_RETRY_WAIT_MS } from '../../../../merchants/webhooks/delivery.ts'
import { BULK_LEASE_MS } from '../../../../payments/payouts/bulk/bulk-batch.ts'
import { PREPARED_WAITS_MS } from '../../../../payments/payouts/prepared/prepare-payout.ts'
import { WEAKER_AFTER_MS } from '../../../../payments/payouts/prepared/set-checker-rule.ts'
import { MAX_WAIT_MS } from '../../../../rails/following/follow-ladder.ts'
import { CLAIM_LEASE_MS } from '../../../../selling/vending/dispensing/move-claim.ts'
import { REFUND_TRIED_MS } from '../../../../selling/vending/dispensing/plan-refund.ts'
import { APPROVAL_WAIT_MS as APPROVAL_WAITS_MS } from '../../../approvals/approval.ts'
import type { Invariant } from '../invariant.ts'

const LONGEST_HOLD_MS = MAX_HOLD_HOURS * 3_600_000
const DAY_MS = 86_400_000

// The clocks of processes differ by up to two seconds, and a row may be stored between the reading of this clock and the snapshot.
const SLACK = `interval '5 minutes'`
const intervalSql = (length: number) => `interval '${length} milliseconds'`
/** The condition that a time lies further ahead than a row written now could have it. */
const isBeyond = (time: string, ahead: number) => `${time} > $1::timestamptz + ${intervalSql(ahead)} + ${SLACK}`
const isAhead = (time: string) => `${time} > $1::timestamptz + ${SLACK}`
// In test mode holds and schedules are on the merchant's test clock, which only runs ahead.
const testClockOffset = (row: string) =>
  `case when ${row}.mode = 'test' then m.test_clock_offset_ms else 0 end * interval '1 millisecond'`

const DUE_TIMES = ['charges', 'payouts', 'top_ups'].map(
  (table) =>
    `select merchant_id, ${table === 'top_ups' ? `'live'::mode as mode` : 'mode'}, id, follow_at from ${table} where follow_at is not null`,
)
const HOLDS = 'from charges c where c.hold_until is not null'
/**
 * When the net becomes available, by the event of the success. The text is found before the reference, which the merchant has written.
 */
const EVENT_HOLD_END = `(substring(e.body from '"available_on":"([^"]+)"'))::timestamptz`

/**
 * Times that lie too far ahead: a due time in ten years is work that is never done, and nothing would be late until then. The merchant
 * suffers from them, so they are reported and pause no payouts.
 */
export const TIME_INVARIANTS: readonly Invariant[] = [
  {
    id: 'TI1',
    late: true,
    says: 'no open charge, payout or top-up is asked about or sent later than the longest step of a ladder from now',
    counted: `select count(*) from (${DUE_TIMES.join(' union all ')}) due`,
    offenders: `select merchant_id, mode, id as offender from (${DUE_TIMES.join(' union all ')}) due where ${isBeyond('follow_at', MAX_WAIT_MS)}`,
  },
  {
    id: 'TI2',
    late: true,
    says: 'a hold ends when the event of the success has said, after the success and never later than the longest hold that may be set; shares with their charge',
    counted: `select count(*) ${HOLDS}`,
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
        where c.hold_until < c.completed_at or c.hold_until > c.completed_at + ${intervalSql(LONGEST_HOLD_MS)}
          and c.hold_until > c.completed_at + ${intervalSql(LONGEST_HOLD_MS)} + (select ${testClockOffset('c')} from merchants m where m.id = c.merchant_id)
      union all
      select c.merchant_id, c.mode, c.id from charges c join events e on (e.merchant_id, e.subject, e.type) = (c.merchant_id, c.id, 'charge.succeeded')
        where c.hold_until is not null and c.settled_at is null and ${EVENT_HOLD_END} <> c.hold_until
      union all
      select s.merchant_id, s.mode, s.charge_id from charge_shares s join charges c on (c.merchant_id, c.id) = (s.merchant_id, s.charge_id)
        where s.hold_until <> c.hold_until`,
  },
  {
    id: 'TI3',
    late: true,
    says: 'a schedule runs again within one interval, or at the first date that its merchant chose, and a standing order within a week',
    counted: `select (select count(*) from schedules where status <> 'cancelled') + (select count(*) from standing_orders where try_at is not null)`,
    offenders: `select s.merchant_id, s.mode, s.id as offender from schedules s join merchants m on m.id = s.merchant_id
      where s.next_run_at > case when s.last_run_at is null then greatest(s.anchor_at, $1::timestamptz + ${testClockOffset('s')})
          else $1::timestamptz + ${testClockOffset('s')} + case s.interval when 'daily' then interval '1 day' when 'weekly' then interval '7 days'
            else interval '31 days' end end + ${SLACK}
        or s.anchor_at > greatest(s.start_at, s.created_at + ${testClockOffset('s')}) + ${SLACK}
      union all
      select merchant_id, 'live', id from standing_orders where ${isBeyond('try_at', 7 * DAY_MS)}`,
  },
  {
    id: 'TI4',
    late: true,
    says: 'nobody holds a delivery, a bulk call or a dispense for longer than its lease, and no delivery or refund of a jam waits longer than its longest wait',
    counted: `select (select count(*) from deliveries where lease_until is not null or next_attempt_at is not null)
      + (select count(*) from bulk_batches where lease_until is not null) + (select count(*) from dispense_claims where lease_until is not null)`,
    // An event of a report that its customer sent beyond a limit is told later, as its row says.
    offenders: `select d.merchant_id, d.mode, d.event_id as offender from deliveries d
        where ${isBeyond('d.lease_until', DELIVERY_LEASE_MS)} or ${isBeyond('d.next_attempt_at', MAX_RETRY_WAIT_MS)} and not exists (
          select from events e join disputes p on (p.merchant_id, p.id) = (e.merchant_id, e.subject)
          where (e.merchant_id, e.id, e.type) = (d.merchant_id, d.event_id, 'dispute.opened') and p.tell_at >= d.next_attempt_at)
      union all
      select merchant_id, mode, id from bulk_batches where ${isBeyond('lease_until', 2 * BULK_LEASE_MS)}
      union all
      select merchant_id, mode, id from dispense_claims where ${isBeyond('lease_until', CLAIM_LEASE_MS)}
      union all
      select merchant_id, mode, id from vending_orders where ${isBeyond('refund_until', REFUND_TRIED_MS)} or ${isBeyond('refund_due_at', REFUND_TRIED_MS)}`,
  },
  {
    id: 'TI5',
    late: true,
    says: 'no month is closed ahead, and what stops or waits ends when its rule says: freezes, closed voucher boxes, prepared payouts, approvals, weaker rules',
    counted: 'select count(*) from ledger_heads',
    offenders: `select merchant_id, mode, format('merchant %s %s', merchant_id, mode) as offender from ledger_heads
        where ${isAhead('closed_until')} or ${isBeyond('payouts_frozen_until', MAX_FREEZE_MS)} or ${isAhead('payouts_frozen_at')}
      union all
      select v.merchant_id, l.mode, v.link_id from voucher_misses v join payment_links l on (l.merchant_id, l.id) = (v.merchant_id, v.link_id)
        where ${isBeyond('v.closed_until', DAY_MS)}
      union all
      select merchant_id, mode, id from prepared_payouts where expires_at > created_at + ${intervalSql(PREPARED_WAITS_MS)}
      union all
      select merchant_id, mode::mode, id from approvals where expires_at > asked_at + ${intervalSql(APPROVAL_WAITS_MS)}
      union all
      select merchant_id, 'live', format('the rule of the second person of merchant %s', merchant_id) from checker_rules
        where next_from > changed_at + ${intervalSql(WEAKER_AFTER_MS)} or ${isAhead('changed_at')}`,
  },
  {
    id: 'TI6',
    late: true,
    says: 'nothing was made, ended, settled or decided at a time that is still to come',
    counted: `select (select count(*) from charges) + (select count(*) from payouts)`,
    // The times of transfers and events are compared with these (C1, P1, P2, E1).
    offenders: `select merchant_id, mode, id as offender from charges where ${isAhead('greatest(created_at, completed_at, refunded_at, settled_at, voided_at)')}
      union all
      select merchant_id, mode, id from payouts where ${isAhead('greatest(created_at, completed_at, voided_at)')}
      union all
      select merchant_id, 'live', id from top_ups where ${isAhead('greatest(created_at, completed_at, voided_at)')}
      union all
      select merchant_id, mode, id from schedules where ${isAhead('greatest(created_at, last_run_at, cancelled_at)')}
      union all
      select merchant_id, mode, id from bulk_batches where ${isAhead('created_at')}
      union all
      select w.merchant_id, 'live', w.id from withdrawals w where ${isAhead('w.decided_at')}
      union all
      select merchant_id, 'live', order_id from standing_order_runs where ${isAhead('ran_at')}
      union all
      select merchant_id, mode, id from prepared_payouts where ${isAhead('greatest(created_at, decided_at)')}
      union all
      select merchant_id, mode::mode, id from approvals where ${isAhead('greatest(asked_at, decided_at)')}
      union all
      select k.merchant_id, k.mode, coalesce(k.object_id, format('a key of merchant %s', k.merchant_id)) from idempotency_keys k where ${isAhead('k.created_at')}`,
  },
]
