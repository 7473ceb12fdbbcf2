import type { Invariant } from './invariant.ts'

/** Events and their deliveries. */
export const EVENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'E1',
    says: 'each end of a charge has exactly one event of its type, stored at the moment of that end; no other is told',
    counted: `select count(*) from events where type like 'charge.%'`,
    offenders: `select coalesce(x.subject, e.subject) as offender
      from (select merchant_id, id as subject, completed_at as at,
          case status when 'failed' then 'charge.failed' else 'charge.succeeded' end as type
        from charges where status in ('succeeded', 'failed', 'refunded')
        union all
        select merchant_id, id, refunded_at, 'charge.refunded' from charges where status = 'refunded') x
      full join (select merchant_id, subject, type, count(*) as times, min(created_at) as at
        from events where type like 'charge.%' group by merchant_id, subject, type) e using (merchant_id, subject, type)
      where e.times is distinct from 1 or e.at is distinct from x.at`,
  },
  {
    id: 'EV3',
    says: 'an event is about a charge of its own merchant and mode, and has its one delivery for 30 days',
    counted: 'select count(*) from events',
    offenders: `select e.id as offender
      from events e left join charges c on (c.merchant_id, c.id, c.mode) = (e.merchant_id, e.subject, e.mode)
        where e.type like 'charge.%' and c.id is null
      union all
      select e.id from events e left join deliveries d on (d.merchant_id, d.event_id) = (e.merchant_id, e.id)
        where e.created_at > $2::timestamptz and d.event_id is null
      union all
      select d.event_id from deliveries d
        left join events e on (e.merchant_id, e.id, e.mode, e.type) = (d.merchant_id, d.event_id, d.mode, d.event)
        where e.id is null`,
  },
  {
    id: 'EV5',
    says: 'a delivery is given up only after eight attempts, and none is claimed for ever',
    counted: 'select count(*) from deliveries',
    offenders: `select event_id as offender from deliveries
      where (status = 'failed' and attempts <> 8) or lease_until < $1::timestamptz - interval '5 minutes'`,
  },
]
