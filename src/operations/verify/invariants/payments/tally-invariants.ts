import type { Invariant } from '../invariant.ts'

const CHARGES_OF_DAY = `c.merchant_id = t.merchant_id and c.mode = t.mode and c.published
  and c.created_at >= (t.day::timestamp at time zone interval '3 hours') and c.created_at < ((t.day + 1)::timestamp at time zone interval '3 hours')`

/** The figures of the dashboard's first page, compared with the charges that they were counted from. */
export const TALLY_INVARIANTS: readonly Invariant[] = [
  {
    id: 'DT1',
    says: 'a tally counts no charge that has not ended, and no money that none of them brought',
    counted: 'select count(*) from day_tallies',
    offenders: `select t.merchant_id, t.mode, t.merchant_id || ' ' || t.mode || ' ' || t.day as offender from day_tallies t
      cross join lateral (
        select count(*) as ended, coalesce(sum(c.amount) filter (where c.status <> 'failed'), 0) as volume
        from charges c where ${CHARGES_OF_DAY} and c.completed_at is not null and c.status in ('succeeded', 'failed', 'refunded')) c
      where t.succeeded + t.failed > c.ended or t.volume > c.volume`,
  },
  {
    // A final charge stays final, so a tally of as many charges as are final now counts exactly those.
    id: 'DT2',
    says: 'a tally of all charges of its day that have ended has exactly their sums',
    counted: 'select count(*) from day_tallies',
    offenders: `select t.merchant_id, t.mode, t.merchant_id || ' ' || t.mode || ' ' || t.day as offender from day_tallies t
      cross join lateral (
        select count(*) as ended, count(*) filter (where c.status = 'failed') as failed,
          coalesce(sum(c.amount) filter (where c.status <> 'failed'), 0) as volume,
          coalesce(sum(c.fee) filter (where c.status <> 'failed'), 0) as fees,
          count(*) filter (where c.failure_reason = 'insufficient_funds') as insufficient_funds,
          count(*) filter (where c.failure_reason = 'user_cancelled') as user_cancelled,
          count(*) filter (where c.failure_reason = 'timeout') as timeout,
          count(*) filter (where c.failure_reason = 'rail_rejected') as rail_rejected
        from charges c where ${CHARGES_OF_DAY} and c.completed_at is not null and c.status in ('succeeded', 'failed', 'refunded')) c
      where t.succeeded + t.failed = c.ended
        and (t.failed, t.volume, t.fees, t.insufficient_funds, t.user_cancelled, t.timeout, t.rail_rejected)
          is distinct from (c.failed, c.volume, c.fees, c.insufficient_funds, c.user_cancelled, c.timeout, c.rail_rejected)`,
  },
]
