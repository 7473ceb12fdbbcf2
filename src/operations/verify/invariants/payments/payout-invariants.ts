import { type Invariant, modeOrLive, RESERVED } from '../invariant.ts'

const PAYOUTS = 'select count(*) from payouts'
// The account from which a payout is reserved, and to which it returns when it fails.
const SOURCE = `case p.kind when 'subaccount' then 'sub_available:' || p.subaccount_id else 'available' end`

// The first and last transfers of each payout, in any mode and number.
const RESERVES = `select merchant_id, mode, subject as id, count(*) as times, min(kind) as kind, min(debit) as debit,
    sum(amount) as amount, min(at) as at
  from transfers where kind in ('payout_reserve', 'sub_payout_reserve') group by merchant_id, mode, subject`
const OUTCOMES = `select merchant_id, mode, subject as id, count(*) filter (where kind = 'payout_sent') as sent,
    count(*) filter (where kind = 'payout_fee') as fees,
    count(*) filter (where kind in ('payout_return', 'sub_payout_return')) as returns,
    sum(amount) as amount, sum(amount) filter (where kind = 'payout_fee') as fee,
    min(credit) filter (where kind <> 'payout_fee') as credit, min(at) as at, max(at) as last_at
  from transfers where kind in ('payout_sent', 'payout_fee', 'payout_return', 'sub_payout_return')
  group by merchant_id, mode, subject`

/** Payouts compared with their transfers and their own states. */
export const PAYOUT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'P1',
    says: 'every payout, taken back ones included, reserved its amount and fee once, from its own source, when it was made',
    counted: PAYOUTS,
    offenders: `select merchant_id, mode, coalesce(p.id, t.id) as offender
      from payouts p full join (${RESERVES}) t using (merchant_id, mode, id)
      where t.times is distinct from 1 or (t.kind, t.debit, t.amount, t.at) is distinct from
        (case p.kind when 'subaccount' then 'sub_payout_reserve' else 'payout_reserve' end, ${SOURCE}, p.amount + p.fee, p.created_at)`,
  },
  {
    id: 'P2',
    says: 'a payout that was paid left by its channel with its fee, one that was not came back whole, an open one moved nothing',
    counted: PAYOUTS,
    offenders: `select merchant_id, mode, coalesce(p.id, t.id) as offender
      from (select p.*, coalesce(p.completed_at, p.voided_at) as ended_at, (p.status = 'succeeded')::int as paid,
          (p.status = 'failed' or p.voided_at is not null)::int as unpaid from payouts p) p
      full join (${OUTCOMES}) t using (merchant_id, mode, id)
      where p.amount is null or coalesce(t.sent, 0) <> p.paid or coalesce(t.fees, 0) <> p.paid or coalesce(t.returns, 0) <> p.unpaid
        or t.amount <> p.amount + p.fee or t.fee <> p.fee or t.at <> p.ended_at or t.last_at <> p.ended_at
        or t.credit <> case p.paid when 1 then 'rail:' || p.channel else ${SOURCE} end`,
  },
  {
    id: 'P3',
    says: 'in_flight is the sum of amount and fee of the payouts that are open',
    counted: `select count(*) from payouts p where ${RESERVED}`,
    offenders: `select merchant_id, mode, format('merchant %s %s: %s', merchant_id, mode, coalesce(h.in_flight, 0) - coalesce(o.in_flight, 0)) as offender
      from ledger_heads h
      full join (select merchant_id, mode, sum(p.amount + p.fee) as in_flight from payouts p
        where ${RESERVED} group by merchant_id, mode) o using (merchant_id, mode)
      where h.in_flight is distinct from coalesce(o.in_flight, 0)`,
  },
  {
    id: 'PO4',
    says: 'a failed payout has its reason, an authorized one at most the one that says nobody knows, and every end its time',
    counted: PAYOUTS,
    offenders: `select p.merchant_id, p.mode, p.id as offender from payouts p
      where (p.status = 'failed' and p.failure_reason is null)
        or (p.status in ('pending', 'succeeded') and p.failure_reason is not null)
        or (p.failure_reason is not null and (p.status = 'authorized') <>
          (p.failure_reason = 'ambiguous_network_error_pending_reconciliation'))
        or (p.status in ('succeeded', 'failed')) <> (p.completed_at is not null)
        or (p.voided_at is not null and (p.status <> 'pending' or p.published))`,
  },
  {
    id: 'W1',
    says: 'a withdrawal waits until it is decided, then goes on or comes back with the decision, and only in live',
    counted: 'select count(*) from withdrawals',
    offenders: `select merchant_id, ${modeOrLive('p')}, coalesce(p.id, w.id) as offender
      from (select * from payouts where kind = 'withdrawal') p full join withdrawals w using (merchant_id, id)
      where p.mode is distinct from 'live' or case w.state
        when 'requested' then p.status <> 'pending' or p.follow_at is not null or p.voided_at is not null
        when 'approved' then p.status in ('pending', 'authorized') and p.follow_at is null
        else (p.status, p.failure_reason, p.completed_at) is distinct from
          ('failed', case w.state when 'rejected' then 'rail_rejected' else 'user_cancelled' end, w.decided_at) end`,
  },
]

// The objects that an approval can have made, as its prepared payout must describe them.
const MADE_OBJECTS = `select merchant_id, mode, id, 'payout' as kind, amount, 1 as recipients, created_at from payouts where kind = 'payout'
  union all select merchant_id, mode, id, kind, amount, 1, created_at from payouts where kind = 'subaccount'
  union all select merchant_id, mode, id, 'bulk', null, total, created_at from bulk_batches
  union all select merchant_id, mode, id, 'schedule', amount * jsonb_array_length(recipients), jsonb_array_length(recipients), created_at
    from schedules`

/** Payouts that one person prepared and another decided. */
export const PREPARED_INVARIANTS: readonly Invariant[] = [
  {
    id: 'PP1',
    says: 'an approved prepared payout made the one thing that it describes, when another person approved it; no other made anything',
    counted: 'select count(*) from prepared_payouts',
    offenders: `select r.merchant_id, r.mode, r.id as offender
      from prepared_payouts r left join (${MADE_OBJECTS}) o
        on (o.merchant_id, o.id, o.mode, o.kind) = (r.merchant_id, r.object_id, r.mode, r.kind)
      where (r.status = 'approved') <> (r.object_id is not null) or (r.status = 'approved' and (o.id is null
        or o.recipients <> r.recipients or o.amount <> r.amount or o.created_at <> r.decided_at or r.decided_by = r.made_by))
      union all
      select merchant_id, max(mode), string_agg(id, ' ' order by id) from prepared_payouts where object_id is not null group by merchant_id, object_id
        having count(*) > 1`,
  },
]

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
