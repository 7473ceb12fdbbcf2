import { accountOf, CLOCK_SLACK, type Invariant } from '../invariant.ts'

const ORDERS = 'select count(*) from vending_orders'
const CLAIMS = 'select count(*) from dispense_claims'
const NEWEST = `left join lateral (select k.id, k.state from dispense_claims k
        where (k.merchant_id, k.order_id, k.kind) = (o.merchant_id, o.id, 'order') order by k.attempt desc limit 1) n on true`
// The mode of the order or payment that a callback is about.
const MODE_OF_CALLBACK = `coalesce((select o.mode from vending_orders o where (o.merchant_id, o.id) = (v.merchant_id, v.order_id)),
        (select c.mode from charges c where (c.merchant_id, c.id) = (v.merchant_id, v.charge_id)), 'live')`
const OF_ORDERS = `starts_with(e.type, 'vending.') and starts_with(e.subject, 'lnk_')`
const OF_DIRECT = `starts_with(e.type, 'vending.') and not starts_with(e.subject, 'lnk_')`

/** Vending: paid orders compared with the commands to machines. */
export const VENDING_INVARIANTS: readonly Invariant[] = [
  {
    id: 'V1',
    says: 'a charge has one claim that is not released at most, and the newest claim of an order stands where the order does',
    counted: CLAIMS,
    offenders: `select merchant_id, max(mode) as mode, charge_id as offender from dispense_claims
        where released_at is null group by merchant_id, charge_id having count(*) > 1
      union all
      select o.merchant_id, o.mode, o.id from vending_orders o ${NEWEST}
      where coalesce(n.state, 'none') <> all (case when o.vending_status = 'pending' then array['none']
        when o.vending_status = 'dispensing' then array['claimed', 'commanding', 'accepted', 'ambiguous']
        when o.vending_status = 'failed' then array['none', 'released']
        when o.confirmed then array['delivered'] else array['accepted', 'ambiguous'] end)
      union all
      select merchant_id, mode, id from dispense_claims where kind = 'direct' and case vending_status when 'dispensed'
        then state <> 'delivered' and not (optimistic and state in ('accepted', 'ambiguous'))
        when 'failed' then state <> 'released' when 'dispensing' then state in ('delivered', 'released') else true end`,
  },
  {
    id: 'V2',
    says: 'a vending order has as many claims as attempts, each for its own machine and goods, and counts what its machine said',
    counted: ORDERS,
    offenders: `select ${accountOf('o', 'k')}, coalesce(o.id, k.order_id) as offender
      from vending_orders o
      full join (select merchant_id, order_id, max(mode) as mode, count(*) as times, min(attempt) as first, max(attempt) as last,
          array_agg(distinct (mode, machine, goods::text, pay_account)::text) as what
        from dispense_claims where kind = 'order' group by merchant_id, order_id) k on (k.merchant_id, k.order_id) = (o.merchant_id, o.id)
      where o.id is null or coalesce(k.times, 0) <> o.attempts
        or (k.times > 0 and (k.first, k.last) <> (1, o.attempts))
        or k.what <> array[(o.mode, o.machine, o.goods::text, o.pay_account)::text]
        or (o.vending_status = 'dispensed') <> (o.dispensed_at is not null)
        or (o.vending_status = 'failed' and o.vending_error is null)
        or (o.confirmed and o.vending_status not in ('dispensed', 'failed'))
        or (o.watched and o.vending_status <> 'pending')
        or o.units_dispensed is distinct from (select sum((one ->> 'chsl')::int) from json_array_elements(o.dispense_result) one)`,
  },
  {
    id: 'V3',
    says: 'a vending order is a one-shot link of its merchant and mode that ends, and every such link is an order',
    counted: ORDERS,
    offenders: `select ${accountOf('o', 'l')}, coalesce(o.id, l.id) as offender
      from vending_orders o full join (select * from payment_links where kind = 'order') l
        on (l.merchant_id, l.id, l.mode) = (o.merchant_id, o.id, o.mode)
      where o.id is null or l.id is null or l.allow_multiple_uses or l.expires_at is null or o.created_at <> l.created_at`,
  },
  {
    id: 'VE3',
    says: 'a dispense is claimed on a paid charge of its merchant and mode, of an order on its own, and none is commanded after a refund',
    counted: CLAIMS,
    // The charge's row decides which came first; clocks of two processes are not that exact.
    offenders: `select k.merchant_id, k.mode, k.id as offender
      from dispense_claims k left join charges c on (c.merchant_id, c.id, c.mode) = (k.merchant_id, k.charge_id, k.mode)
        left join vending_orders o on (o.merchant_id, o.id) = (c.merchant_id, c.payment_link_id)
      where c.id is null or c.status not in ('succeeded', 'refunded')
        or (k.kind = 'order' and o.id is distinct from k.order_id) or (k.kind = 'direct' and o.id is not null)
        or k.commanded_at > c.refunded_at + ${CLOCK_SLACK}`,
  },
  {
    id: 'VE4',
    says: 'no claim is to be sent or under way for ever',
    late: true,
    counted: CLAIMS,
    offenders: `select merchant_id, mode, id as offender from dispense_claims where lease_until < $1::timestamptz - interval '5 minutes'`,
  },
  {
    id: 'VE12',
    says: 'a claim has a lease while it is to be sent and under way, and its time once it may have been sent',
    counted: CLAIMS,
    offenders: `select merchant_id, mode, id as offender from dispense_claims
      where (state in ('claimed', 'commanding')) <> (lease_until is not null)
        or (state in ('commanding', 'accepted', 'ambiguous') and commanded_at is null)`,
  },
  {
    id: 'VE5',
    says: 'what a machine has said is kept once by its sign, about an order or a dispense of that merchant',
    counted: 'select count(*) from vendor_callbacks',
    offenders: `select v.merchant_id, ${MODE_OF_CALLBACK} as mode, v.id as offender from (
        select merchant_id, min(id) as id, min(order_id) as order_id, min(charge_id) as charge_id from vendor_callbacks group by merchant_id, sign having count(*) > 1) v
      union all
      select v.merchant_id, ${MODE_OF_CALLBACK}, v.id from vendor_callbacks v where outcome in ('dispensed', 'jam') and not exists (select 1 from dispense_claims k
        where (k.merchant_id, k.charge_id) = (v.merchant_id, v.charge_id) and (k.order_id = v.order_id or k.kind = 'direct')
          and k.commanded_at is not null)`,
  },
  {
    id: 'VE7',
    says: 'an order that was taken back has no payment, and none was begun after its time',
    counted: ORDERS,
    offenders: `select distinct l.merchant_id, l.mode, l.id as offender
      from payment_links l join charges c on (c.merchant_id, c.payment_link_id) = (l.merchant_id, l.id)
      where l.kind = 'order' and c.voided_at is null
        and ((l.invalidated_at is not null and c.status <> 'failed') or c.created_at >= l.expires_at)`,
  },
  {
    id: 'VE8',
    says: 'a refund is due only for a failed order whose machine was told and has reported it',
    counted: 'select count(*) from vending_orders where refund_due_at is not null',
    offenders: `select merchant_id, mode, id as offender from vending_orders
      where refund_due_at is not null and (vending_status <> 'failed' or not confirmed or attempts = 0 or refund_until is null
        or refund_due_at > refund_until + interval '1 hour')`,
  },
  {
    id: 'VE10',
    says: 'a paid order is looked for by the dispense until its machine is told, on the payment that its link holds',
    counted: `select count(*) from vending_orders where vending_status = 'pending'`,
    offenders: `select o.merchant_id, o.mode, o.id as offender
      from vending_orders o join charges c on (c.merchant_id, c.payment_link_id) = (o.merchant_id, o.id)
        left join payment_links l on (l.merchant_id, l.id) = (o.merchant_id, o.id)
      where o.vending_status = 'pending' and c.status = 'succeeded' and (not o.watched or l.charge_id is distinct from c.id)`,
  },
  {
    id: 'VE11',
    says: 'a reported jam whose merchant wanted it refunded is refunded, due, or says why not',
    counted: 'select count(*) from vending_orders where refund_wanted is not null',
    offenders: `select o.merchant_id, o.mode, o.id as offender
      from vending_orders o left join payment_links l on (l.merchant_id, l.id) = (o.merchant_id, o.id)
        left join charges c on (c.merchant_id, c.id) = (l.merchant_id, l.charge_id)
      where o.refund_wanted is not null and (o.vending_status <> 'failed' or not o.confirmed
        or (o.refund_wanted and o.refund_due_at is null and c.status is distinct from 'refunded'
          and not starts_with(o.vending_error, 'the machine reported a jam - ')))`,
  },
  {
    id: 'EV1',
    says: 'each end of a vending order is told once under the number of its command, the present one at its moment; no other is told',
    counted: `select count(*) from events e where ${OF_ORDERS}`,
    offenders: `select o.merchant_id, o.mode, o.id as offender from vending_orders o
      where (o.vending_status = 'dispensed' and 1 <> (select count(*) from events e where ${OF_ORDERS}
          and (e.merchant_id, e.subject, e.type, e.created_at, abs(e.occurrence)) = (o.merchant_id, o.id, 'vending.dispensed', o.dispensed_at, o.attempts)))
        or (o.vending_status = 'failed' and not exists (select 1 from events e
          where (e.merchant_id, e.subject, e.type, e.occurrence) = (o.merchant_id, o.id, 'vending.dispense_failed', o.attempts)))
      union all
      select k.merchant_id, k.mode, k.id from dispense_claims k where k.kind = 'order' and k.released_at is not null and not exists (select 1 from events e
        where (e.merchant_id, e.subject, e.type, e.occurrence) = (k.merchant_id, k.order_id, 'vending.dispense_failed', k.attempt))
      union all
      select e.merchant_id, e.mode, e.subject from events e left join vending_orders o on (o.merchant_id, o.id, o.mode) = (e.merchant_id, e.subject, e.mode)
      where ${OF_ORDERS} and (o.id is null or abs(e.occurrence) > o.attempts or (e.type = 'vending.dispensed' and e.occurrence = 0)
        or (e.type = 'vending.dispense_failed' and e.occurrence < 0)
        or (e.type = 'vending.dispensed' and e.created_at is distinct from o.dispensed_at and not exists (select 1 from events f
          where (f.merchant_id, f.subject, f.type, f.occurrence) = (e.merchant_id, e.subject, 'vending.dispense_failed', abs(e.occurrence)))))
      group by e.merchant_id, e.mode, e.subject
      union all
      select e.merchant_id, max(e.mode), e.subject from events e where ${OF_ORDERS} group by e.merchant_id, e.subject, e.type, e.occurrence having count(*) > 1`,
  },
  {
    id: 'EV6',
    says: 'an end of a direct dispense is told once, about a claim of its own merchant and mode whose charge was commanded for',
    counted: `select count(*) from events e where ${OF_DIRECT}`,
    offenders: `select ${accountOf('k', 'e')}, coalesce(k.id, e.subject) as offender
      from (select * from dispense_claims where kind = 'direct') k
      full join (select e.merchant_id, e.subject, e.mode, count(*) as times, count(distinct e.type) as types,
          bool_or(e.type = 'vending.dispensed') as dispensed
        from events e where ${OF_DIRECT} group by e.merchant_id, e.subject, e.mode) e
        on (e.merchant_id, e.subject, e.mode) = (k.merchant_id, k.id, k.mode)
      where case when k.id is null then true when e.subject is null then k.vending_status = 'dispensed'
        else e.times > e.types + k.optimistic::int or (k.commanded_at is null and not exists (select 1 from dispense_claims s
          where (s.merchant_id, s.charge_id) = (k.merchant_id, k.charge_id) and s.commanded_at is not null)) or (k.vending_status = 'dispensed' and not e.dispensed)
          or (k.vending_status <> 'dispensed' and e.dispensed and not k.optimistic) end`,
  },
]
