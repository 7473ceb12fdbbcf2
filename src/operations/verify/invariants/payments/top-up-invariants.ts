import { type Invariant, modeOrLive } from '../invariant.ts'

/** Top-ups compared with their transfers. */
export const TOP_UP_INVARIANTS: readonly Invariant[] = [
  {
    id: 'TU1',
    says: 'a top-up that succeeded has its one transfer to available, of its whole amount, posted when it completed; no other has one',
    counted: 'select count(*) from top_ups',
    offenders: `select coalesce(t.merchant_id, p.merchant_id) as merchant_id, ${modeOrLive('p')}, coalesce(t.id, p.subject) as offender
      from (select * from top_ups where status = 'succeeded') t
      full join (select * from transfers where kind = 'top_up') p on (p.merchant_id, p.subject) = (t.merchant_id, t.rail_reference)
      where ((p.mode, p.amount, p.debit, p.credit, p.at) = ('live', t.amount, 'rail:' || t.channel, 'available', t.completed_at)) is not true`,
  },
  {
    id: 'TU2',
    says: 'only a failed top-up has a reason, every final one has its time, and only one that nobody saw was taken back',
    counted: 'select count(*) from top_ups',
    offenders: `select t.merchant_id, 'live' as mode, t.id as offender from top_ups t
      where (t.status = 'failed') <> (t.failure_reason is not null)
        or (t.status in ('succeeded', 'failed')) <> (t.completed_at is not null)
        or t.voided_at is not null and (t.published or t.status <> 'pending')`,
  },
]
