import type { Invariant } from './invariant.ts'

const OF_DAY = `c.merchant_id = t.merchant_id and c.mode = t.mode and c.published
  and c.created_at >= (t.day::timestamp at time zone '+03:00') and c.created_at < ((t.day + 1)::timestamp at time zone '+03:00')`

/** The figures of the dashboard's first page, compared with the charges that they were counted from. */
export const TALLY_INVARIANTS: readonly Invariant[] = [
  {
    id: 'DT1',
    says: 'a tally counts no charge that has not ended, and no money that none of them brought',
    counted: 'select count(*) from day_tallies',
    offenders: `select t.merchant_id || ' ' || t.mode || ' ' || t.day as offender from day_tallies t
      cross join lateral (
        select count(*) as ended, coalesce(sum(c.amount) filter (where c.status <> 'failed'), 0) as volume
        from charges c where ${OF_DAY} and c.status in ('succeeded', 'failed', 'refunded')) c
      where t.succeeded + t.failed > c.ended or t.volume > c.volume`,
  },
]
