import { stopKindSql } from '../../payments/payouts/find-stop.ts'

/**
 * A kind of stuck item with its statement. In each, $1 is the time now, $2 the time before which due work counts as left lying, $3 the
 * time before which a movement has been open for too long, $4 how many are named, $5 and $6 the repost windows of charges and payouts
 * (repostWindowsOf, in ms). Oldest first.
 */
export type StuckKind = { kind: string; sql: string }

const JOIN_MERCHANT = 'join merchants m on m.id ='
const NO_ATTEMPT = 'null as attempt, null as attempt_state'

// A movement that the operator does not know is not posted again after the window of its installation: only a person can help.
const notPostedAgain = (
  windows: '$5' | '$6',
) => `a.state = 'in_doubt' and a.first_not_found_at is not null and a.first_sent_at < $1
    - coalesce(${windows}::jsonb -> 'byInstallation' -> a.installation, ${windows}::jsonb -> 'others')::bigint * interval '1 millisecond'`
const NOT_POSTED_AGAIN = notPostedAgain('$5')
const unansweredReason = (
  row: string,
) => `case when ${row}.follow_at < $2 then 'nobody has asked the operator since the time of the next question'
      when a.state = 'in_doubt' and a.first_not_found_at is not null
        then 'the operator does not know it, and its time to be posted again is over'
      else 'the operator has not said how it ended' end`

const CHARGES = `select c.status as status, c.merchant_id, m.public_id as merchant, c.mode, c.id, c.amount - c.gift_card_amount as amount,
    c.created_at as since, c.follow_at as next_at, a.id as attempt, a.state as attempt_state,
    ${unansweredReason('c')} as why
  from charges c ${JOIN_MERCHANT} c.merchant_id
  left join rail_attempts a on a.merchant_id = c.merchant_id and a.subject = c.id
  where c.follow_at is not null and (c.follow_at < $2 or c.mode = 'live' and (c.created_at < $3
    or ${NOT_POSTED_AGAIN}))
  order by c.created_at limit $4`

const TOP_UPS = `select t.status as status, t.merchant_id, m.public_id as merchant, 'live' as mode, t.id, t.amount, t.created_at as since,
    t.follow_at as next_at, a.id as attempt, a.state as attempt_state, ${unansweredReason('t')} as why
  from top_ups t ${JOIN_MERCHANT} t.merchant_id
  join rail_attempts a on a.merchant_id = t.merchant_id and a.subject = t.id
  where t.follow_at is not null and (t.follow_at < $2 or t.created_at < $3 or ${NOT_POSTED_AGAIN})
  order by t.created_at limit $4`

const STOP_REASON = `case ${stopKindSql('h')} when 'platform' then 'live payouts are frozen'
  when 'account' then 'the payouts of the account are frozen'
  when 'exception' then 'the payouts of the account are paused by ' || h.payouts_paused_by end`
const IS_QUEUED = `(a.state in ('queued', 'not_sent') or a.state is null and p.status = 'pending')`

const PAYOUTS = `select p.status as status, p.merchant_id, m.public_id as merchant, p.mode, p.id, p.amount, p.created_at as since,
    p.follow_at as next_at, a.id as attempt, a.state as attempt_state,
    coalesce(case when ${IS_QUEUED} then ${STOP_REASON} end, case
      when p.follow_at < $2 then 'nobody has looked at it since it was due'
      when ${IS_QUEUED} then 'the operator has not taken it'
      when ${notPostedAgain('$6')}
        then 'the operator does not know it, and its time to be posted again is over'
      else 'the operator has not said how it ended' end) as why
  from payouts p ${JOIN_MERCHANT} p.merchant_id
  join ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode
  left join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
  where p.follow_at is not null and (p.follow_at < $2 or p.mode = 'live' and p.created_at < $3)
  order by p.created_at limit $4`

const WITHDRAWALS = `select p.status as status, p.merchant_id, m.public_id as merchant, p.mode, p.id, p.amount, p.created_at as since,
    null::timestamptz as next_at, ${NO_ATTEMPT}, 'it waits to be approved or rejected' as why
  from payouts p ${JOIN_MERCHANT} p.merchant_id
  where p.kind = 'withdrawal' and p.status = 'pending' and p.follow_at is null and p.voided_at is null and p.created_at < $3
  order by p.created_at limit $4`

const HOLDS = `select c.status as status, c.merchant_id, m.public_id as merchant, c.mode, c.id, c.amount - c.gift_card_amount as amount,
    c.completed_at as since, c.hold_until as next_at, ${NO_ATTEMPT}, 'its hold is over and it was not settled' as why
  from charges c ${JOIN_MERCHANT} c.merchant_id
  where c.mode = 'live' and c.settled_at is null and c.hold_until < $1 - interval '2 hours'
  order by c.hold_until limit $4`

const DELIVERIES = `select d.status as status, d.merchant_id, m.public_id as merchant, d.mode, d.event_id as id, null::bigint as amount,
    d.created_at as since, d.next_attempt_at as next_at, ${NO_ATTEMPT},
    case when d.lease_until is not null then 'whoever had it to send is gone' else 'nobody has sent it since it was due' end as why
  from deliveries d ${JOIN_MERCHANT} d.merchant_id
  where d.status = 'pending' and d.next_attempt_at < $2 and (d.lease_until is null or d.lease_until < $2)
  order by d.created_at limit $4`

const PAID_ORDERS = `select o.vending_status as status, o.merchant_id, m.public_id as merchant, o.mode, o.id, c.amount, c.completed_at as since,
    null::timestamptz as next_at, ${NO_ATTEMPT}, 'it is paid and no machine was told' as why
  from vending_orders o ${JOIN_MERCHANT} o.merchant_id
  join charges c on c.merchant_id = o.merchant_id and c.payment_link_id = o.id and c.status = 'succeeded'
  where o.vending_status = 'pending' and c.completed_at < $2
  order by c.completed_at limit $4`

const DISPENSES = `select k.state as status, k.merchant_id, m.public_id as merchant, k.mode, case k.kind when 'order' then k.order_id else k.charge_id end as id,
    c.amount, k.claimed_at as since, k.lease_until as next_at, ${NO_ATTEMPT},
    case k.state when 'claimed' then 'it was claimed and no machine was told'
      when 'accepted' then 'the supplier took the command and no machine has reported'
      else 'nobody knows whether the machine was told' end as why
  from dispense_claims k ${JOIN_MERCHANT} k.merchant_id
  join charges c on c.merchant_id = k.merchant_id and c.id = k.charge_id
  left join vending_orders o on k.kind = 'order' and o.merchant_id = k.merchant_id and o.id = k.order_id
  where k.released_at is null and k.state in ('claimed', 'commanding', 'accepted', 'ambiguous')
    and coalesce(o.vending_status, k.vending_status, 'dispensing') = 'dispensing'
    and (k.claimed_at < $3 or k.state in ('claimed', 'commanding') and k.lease_until < $2)
  order by k.claimed_at limit $4`

const JAM_REFUNDS = `select o.vending_status as status, o.merchant_id, m.public_id as merchant, o.mode, o.id, null::bigint as amount, o.refund_due_at as since,
    o.refund_due_at as next_at, ${NO_ATTEMPT}, 'it jammed, and nobody has given the money back since it was due' as why
  from vending_orders o ${JOIN_MERCHANT} o.merchant_id
  where o.refund_due_at < $2 order by o.refund_due_at limit $4`

const SCHEDULES = `select s.status as status, s.merchant_id, m.public_id as merchant, s.mode, s.id, s.amount, s.next_run_at as since,
    s.next_run_at as next_at, ${NO_ATTEMPT}, 'nobody has run it since it was due' as why
  from schedules s ${JOIN_MERCHANT} s.merchant_id
  where s.status = 'active' and s.next_run_at < $2 order by s.next_run_at limit $4`

const STANDING_ORDERS = `select o.state as status, o.merchant_id, m.public_id as merchant, 'live' as mode, o.id, null::bigint as amount, o.due_at as since,
    o.try_at as next_at, ${NO_ATTEMPT}, 'nobody has run it since it was due' as why
  from standing_orders o ${JOIN_MERCHANT} o.merchant_id
  where o.try_at < $2 order by o.due_at limit $4`

const KEYS = `select 'in_flight' as status, k.merchant_id, m.public_id as merchant, k.mode, coalesce(k.object_id, '(nothing stored)') as id,
    null::bigint as amount, k.created_at as since, null::timestamptz as next_at, ${NO_ATTEMPT},
    'its Idempotency-Key has no answer' as why
  from idempotency_keys k ${JOIN_MERCHANT} k.merchant_id
  where k.status is null and k.created_at < $2 order by k.created_at limit $4`

export const STUCK_KINDS: readonly StuckKind[] = [
  { kind: 'charge', sql: CHARGES },
  { kind: 'top-up', sql: TOP_UPS },
  { kind: 'payout', sql: PAYOUTS },
  { kind: 'withdrawal', sql: WITHDRAWALS },
  { kind: 'hold', sql: HOLDS },
  { kind: 'delivery', sql: DELIVERIES },
  { kind: 'order', sql: PAID_ORDERS },
  { kind: 'dispense', sql: DISPENSES },
  { kind: 'jam refund', sql: JAM_REFUNDS },
  { kind: 'schedule', sql: SCHEDULES },
  { kind: 'standing order', sql: STANDING_ORDERS },
  { kind: 'key', sql: KEYS },
]
