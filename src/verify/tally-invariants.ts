import type { Invariant } from './invariant.ts'

const OF_DAY = `c.merchant_id = t.merchant_id and c.mode = t.mode and c.published
  and c.created_at >= (t.day::timestamp at time zone '+03:00') and c.created_at < ((t.day + 1)::timestamp at time zone '+03:00')`

/** The figures of the dashboard's first page, compared with the charges that they were counted from. */
export const TALLY_INVARIANTS: readonly Invariant[] = [
  {
    id: 'DT1',
    says: 'a tally counts no charge that has not ended, and every charge that had ended a quarter of an hour before it was counted',
    counted: 'select count(*) from day_tallies',
    offenders: `select t.merchant_id || ' ' || t.mode || ' ' || t.day as offender from day_tallies t
      cross join lateral (
        select count(*) filter (where c.completed_at < t.counted_at - interval '15 minutes') as low, count(*) as high
        from charges c where ${OF_DAY} and c.status in ('succeeded', 'failed', 'refunded')) c
      where t.succeeded + t.failed < c.low or t.succeeded + t.failed > c.high`,
  },
]
