import { shortDigestSql } from '../../../../platform/text/short-digest.ts'
import type { Invariant } from '../invariant.ts'

const OF_PAYMENTS = `where starts_with(type, 'charge.') or starts_with(type, 'payout.')`

/** Events and their deliveries. */
export const EVENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'E1',
    says: 'each end of a charge or payout has exactly one event of its type, stored at the moment of that end; no other is told',
    counted: `select count(*) from events ${OF_PAYMENTS}`,
    offenders: `select merchant_id, coalesce(x.mode, e.mode) as mode, subject as offender
      from (select merchant_id, mode, id as subject, completed_at as at,
          case status when 'failed' then 'charge.failed' else 'charge.succeeded' end as type
        from charges where status in ('succeeded', 'failed', 'refunded')
        union all
        select merchant_id, mode, id, refunded_at, 'charge.refunded' from charges where status = 'refunded'
        union all
        select merchant_id, mode, id, completed_at, 'payout.' || status from payouts where status in ('succeeded', 'failed')) x
      full join (select merchant_id, subject, type, min(mode) as mode, count(*) as times, min(created_at) as at
        from events ${OF_PAYMENTS} group by merchant_id, subject, type) e using (merchant_id, subject, type)
      where e.times is distinct from 1 or e.at is distinct from x.at`,
  },
  {
    id: 'EV3',
    says: 'an event is about a charge or payout of its own merchant and mode, and has its one delivery for 30 days',
    counted: 'select count(*) from events',
    offenders: `select e.merchant_id, e.mode, e.id as offender
      from events e left join charges c on (c.merchant_id, c.id, c.mode) = (e.merchant_id, e.subject, e.mode)
        where starts_with(e.type, 'charge.') and c.id is null
      union all
      select e.merchant_id, e.mode, e.id from events e left join payouts p on (p.merchant_id, p.id, p.mode) = (e.merchant_id, e.subject, e.mode)
        where starts_with(e.type, 'payout.') and p.id is null
      union all
      select e.merchant_id, e.mode, e.id from events e left join deliveries d on (d.merchant_id, d.event_id) = (e.merchant_id, e.id)
        where e.created_at > $2::timestamptz and d.event_id is null
          and not (e.type = 'test.ping' and exists (select from address_deliveries a where (a.merchant_id, a.event_id) = (e.merchant_id, e.id)))
      union all
      select d.merchant_id, d.mode, d.event_id from deliveries d
        left join events e on (e.merchant_id, e.id, e.mode, e.type) = (d.merchant_id, d.event_id, d.mode, d.event)
        where e.id is null`,
  },
  {
    id: 'EV10',
    says: 'a delivery is given up only after eight attempts',
    counted: 'select count(*) from deliveries',
    offenders: `select merchant_id, mode, event_id as offender from deliveries where status = 'failed' and attempts <> 8
      union all select merchant_id, mode, event_id from address_deliveries where status = 'failed' and attempts <> 8`,
  },
  {
    id: 'EV5',
    says: 'no delivery is claimed for ever',
    late: true,
    counted: 'select count(*) from deliveries where lease_until is not null',
    offenders: `select merchant_id, mode, event_id as offender from deliveries
      where lease_until < $1::timestamptz - interval '5 minutes'
      union all
      select merchant_id, mode, event_id from address_deliveries where lease_until < $1::timestamptz - interval '5 minutes'`,
  },
  {
    id: 'EV11',
    says: 'what goes to a further address is an event of its own merchant and mode, and nothing is sent again and again after its success',
    counted: 'select count(*) from address_deliveries',
    offenders: `select d.merchant_id, d.mode, d.event_id as offender from address_deliveries d
        left join events e on (e.merchant_id, e.id, e.mode, e.type) = (d.merchant_id, d.event_id, d.mode, d.event)
        left join webhook_addresses a on (a.merchant_id, a.id, a.mode) = (d.merchant_id, d.address_id, d.mode)
      where e.id is null or a.id is null or (d.status = 'sent') <> (d.delivered_at is not null)`,
  },
  {
    id: 'EV7',
    says: 'the bytes of an event are those with which it was stored: what is sent again is what was sent',
    counted: 'select count(*) from events',
    offenders: `select merchant_id, mode, id as offender from events where digest <> ${shortDigestSql('body')}`,
  },
]
