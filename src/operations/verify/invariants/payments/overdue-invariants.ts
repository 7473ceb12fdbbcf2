import { mayPayOutSql } from '../../../../payments/payouts/find-stop.ts'
import type { Invariant } from '../invariant.ts'

// The background tasks run every hour or every minute; work that is late by several of their periods was forgotten.
const HOLD_PATIENCE = `interval '3 hours'`
const CYCLE_PATIENCE = `interval '1 hour'`
const QUESTION_PATIENCE = `interval '1 hour'`

// In test mode a hold is on the merchant's test clock, which only runs ahead: a hold that is over in real time is over
// there too.
const HELD_MONEY = `select merchant_id, mode, id, hold_until from charges where settled_at is null and hold_until is not null
  union all
  select merchant_id, mode, charge_id, hold_until from charge_shares where settled_at is null and not reversed and hold_until is not null`

/** Work that was due long ago and that no stop holds back: its background task does not run, or misses it. */
export const OVERDUE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'OV1',
    says: 'every charge or share whose hold was over three hours ago has been released',
    late: true,
    counted: `select count(*) from (${HELD_MONEY}) held`,
    offenders: `select merchant_id, mode, id as offender from (${HELD_MONEY}) held where hold_until < $1::timestamptz - ${HOLD_PATIENCE}`,
  },
  {
    id: 'OV2',
    says: 'every schedule whose date passed an hour ago has run, unless its account may not pay now',
    late: true,
    counted: `select count(*) from schedules where status = 'active'`,
    offenders: `select s.merchant_id, s.mode, s.id as offender
      from schedules s join merchants m on m.id = s.merchant_id and m.active
      join ledger_heads h on (h.merchant_id, h.mode) = (s.merchant_id, s.mode) 
      where s.status = 'active' and s.next_run_at < $1::timestamptz - ${CYCLE_PATIENCE} and ${mayPayOutSql('h')}`,
  },
  {
    id: 'OV3',
    says: 'while there is an address no event waits for one, and without an address none is due',
    late: true,
    counted: `select count(*) from deliveries where status = 'pending'`,
    // An event may be stored while the address changes, and the background task then moves a thousand in a run.
    offenders: `select d.merchant_id, d.mode, d.event_id as offender
      from deliveries d join merchants m on m.id = d.merchant_id
      where d.status = 'pending' and d.lease_until is null and d.created_at < $1::timestamptz - interval '30 minutes'
        and (d.next_attempt_at is null) = (m.webhook_url is not null)
        and (m.webhook_changed_at is null or m.webhook_changed_at < $1::timestamptz - interval '1 hour')`,
  },
  {
    id: 'OV4',
    says: 'every open charge, payout and top-up that was due an hour ago was sent or asked about, unless a freeze or a pause holds it back',
    late: true,
    counted: `select (select count(*) from charges where follow_at is not null) + (select count(*) from payouts where follow_at is not null)
      + (select count(*) from top_ups where follow_at is not null)`,
    // Queued movements wait while their account or the platform is stopped; those that may have left are asked about.
    offenders: `select merchant_id, mode, id as offender from charges where follow_at < $1::timestamptz - ${QUESTION_PATIENCE}
      union all select merchant_id, 'live', id from top_ups where follow_at < $1::timestamptz - ${QUESTION_PATIENCE}
      union all
      select p.merchant_id, p.mode, p.id from payouts p join ledger_heads h on (h.merchant_id, h.mode) = (p.merchant_id, p.mode)
      where p.follow_at < $1::timestamptz - ${QUESTION_PATIENCE} and (not p.in_queue or ${mayPayOutSql('h')})`,
  },
]
