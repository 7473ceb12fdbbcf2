import type { Invariant } from '../invariant.ts'

const SCHEDULED_PAYOUTS = `from payouts where kind = 'scheduled'`
// The recipients of each schedule.
const RECIPIENTS = `select s.merchant_id, s.id as schedule_id, (place - 1)::int as item_index, s.mode, s.amount,
    recipient->>'phone' as phone
  from schedules s cross join jsonb_array_elements(s.recipients) with ordinality as listed (recipient, place)`

/** Schedules and their cycles. */
export const SCHEDULE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'S1',
    says: 'a cycle of a schedule paid each of its recipients once, all in one commit, or none',
    counted: `select count(*) ${SCHEDULED_PAYOUTS}`,
    offenders: `select merchant_id, s.mode, id as offender
      from (select merchant_id, schedule_id as id, cycle_at, count(*) as payouts, count(distinct item_index) as places,
          min(created_at) as at, max(created_at) as last_at
        ${SCHEDULED_PAYOUTS} group by merchant_id, schedule_id, cycle_at) c
      join schedules s using (merchant_id, id)
      where c.payouts <> jsonb_array_length(s.recipients) or c.places <> c.payouts or c.at <> c.last_at
      union all
      select merchant_id, p.mode, schedule_id from payouts p left join (${RECIPIENTS}) r using (merchant_id, schedule_id, item_index)
        where p.kind = 'scheduled' and (p.mode, p.amount, p.recipient_phone) is distinct from (r.mode, r.amount, r.phone)`,
  },
  {
    id: 'S2',
    says: 'a schedule last ran when it last paid, and its next date lies after all that were paid',
    counted: 'select count(*) from schedules',
    // The last cycle is the one of the latest date: a clock that stepped back may have dated an earlier one later.
    offenders: `select merchant_id, s.mode, id as offender
      from schedules s
      left join (select distinct on (merchant_id, schedule_id) merchant_id, schedule_id as id, cycle_at, max(created_at) as at
        ${SCHEDULED_PAYOUTS} group by merchant_id, schedule_id, cycle_at order by merchant_id, schedule_id, cycle_at desc) c using (merchant_id, id)
      where s.last_run_at is distinct from c.at or s.next_run_at <= c.cycle_at or s.next_run_at < s.anchor_at`,
  },
  {
    id: 'SC5',
    says: 'a schedule has a next date until it is cancelled, and a reason only while it is paused',
    counted: 'select count(*) from schedules',
    offenders: `select merchant_id, mode, id as offender from schedules
      where (status = 'cancelled') <> (next_run_at is null) or (status = 'cancelled') <> (cancelled_at is not null)
        or (status <> 'paused' and failure_reason is not null)`,
  },
]
