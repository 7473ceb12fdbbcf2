import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { liveInstallations } from '../../../rails/live-rails.ts'
import { type CellFinding, type Check, cellCheck } from '../check.ts'

// Live movements that an operator may have and has not answered, with when they left (rails.md 4.7). Queued ones have not left.
const WITHOUT_ANSWER = `
  select a.subject, 'charge' as noun, c.amount, coalesce(a.sending_since, a.created_at) as left_at, a.first_not_found_at
  from charges c join rail_attempts a on a.merchant_id = c.merchant_id and a.subject = c.id
  where c.follow_at is not null and c.mode = 'live' and c.created_at <= $1::timestamptz - interval '15 minutes'
    and a.state in ('sending', 'accepted', 'in_doubt')
  union all
  select a.subject, 'top-up', t.amount, coalesce(a.sending_since, a.created_at), a.first_not_found_at
  from top_ups t join rail_attempts a on a.merchant_id = t.merchant_id and a.subject = t.id
  where t.follow_at is not null and t.created_at <= $1::timestamptz - interval '15 minutes'
    and a.state in ('sending', 'accepted', 'in_doubt')
  union all
  select a.subject, 'payout', p.amount + p.fee, coalesce(a.sending_since, a.created_at), a.first_not_found_at
  from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
  where p.follow_at is not null and p.mode = 'live' and p.created_at <= $1::timestamptz - interval '15 minutes'
    and a.state in ('sending', 'accepted', 'in_doubt')`
const SUMMED = `count(*) as count, coalesce(sum(amount), 0) as amount, min(left_at) as since,
  array_to_string((array_agg(subject order by left_at))[1:5], ', ') as examples`

// One of very few payments is always more than 5 %.
const MIN_PARKED = 3
const PARKED = statement<CellFinding>(
  'alert: parked money',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where left_at <= $1::timestamptz - interval '15 minutes' group by noun having count(*) > 20 or (count(*) >= ${MIN_PARKED} and count(*) * 20 > $2::bigint)`,
)
const STUCK = statement<CellFinding>(
  'alert: stuck money',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where left_at <= $1::timestamptz - $2 * interval '1 hour' group by noun`,
)
const NEVER_ARRIVED = statement<CellFinding>(
  'alert: never arrived',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where first_not_found_at is not null and left_at <= $1::timestamptz - $2 * interval '1 hour' group by noun`,
)

const BREAKS = statement<CellFinding>(
  'alert: critical breaks',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(e.opened_at) as since,
     array_to_string((array_agg(e.kind || ' of ' || e.subject order by e.opened_at))[1:5], ', ') as examples
   from exceptions e join merchants m on m.id = e.merchant_id
   where e.closed_at is null and e.severity = 'critical' and e.opened_at <= $1::timestamptz group by m.public_id order by 4 limit 100`,
)
// Neither row stores when it was frozen; the alert keeps the time at which it was first seen.
const FROZEN = statement<CellFinding>(
  'alert: frozen payouts',
  `select 'platform' as subject, 1 as count, 0 as amount, $1::timestamptz as since, s.frozen_for as examples
   from payout_stops s where s.frozen_for is not null
   union all
   (select m.public_id, 1, 0, $1::timestamptz, h.payouts_frozen_for from ledger_heads h join merchants m on m.id = h.merchant_id
    where h.payouts_frozen_for is not null order by 1 limit 100)`,
)

// From two indexes of attempts: those that reconciliation has not reviewed, and those that it has within the hour. Each counts to 400 at
// most: 5 % of them are the 20 that open the alert anyway.
const COUNT_MOVEMENTS = statement<{ count: number }>(
  'movements of an hour',
  `select count(*)::int as count from unnest($1::text[]) i (installation) cross join lateral (
     (select 1 from rail_attempts a where a.installation = i.installation and a.reviewed_at is null and a.created_at >= $2 limit 401)
     union all
     (select 1 from rail_attempts a where a.installation = i.installation and a.reviewed_at >= $2 and a.created_at >= $2 limit 401)) movements`,
)
const HOUR_MS = 3_600_000

const describeMoney = ({ subject, count, amount, examples }: CellFinding) =>
  `${count} live ${subject} of ${amount} UGX together (${examples})`

/** Checks of money that waits for an operator, and of what stops payouts. */
export const MONEY_CHECKS: readonly Check[] = [
  cellCheck({
    kind: 'parked_money',
    query: PARKED,
    threshold: countMovementsOfHour,
    message: (row) => `${describeMoney(row)} have waited for the operator's answer for more than 15 minutes`,
  }),
  cellCheck({
    kind: 'stuck_money',
    query: STUCK,
    threshold: ({ config }) => config.stuckHours,
    message: (row, hours) => `${describeMoney(row)} have waited for the operator's answer for more than ${hours} hours`,
  }),
  cellCheck({
    kind: 'never_arrived',
    query: NEVER_ARRIVED,
    threshold: ({ config }) => config.unresolvedHours,
    message: (row, hours) =>
      `${describeMoney(row)} left more than ${hours} hours ago, and the operator does not know them`,
  }),
  cellCheck({
    kind: 'critical_break',
    query: BREAKS,
    message: ({ subject, count, examples }) => `${count} critical exceptions of ${subject} are open: ${examples}`,
  }),
  cellCheck({
    kind: 'payouts_frozen',
    query: FROZEN,
    message: ({ subject, examples }) =>
      subject === 'platform'
        ? `live payouts of the platform are frozen: ${examples}`
        : `live payouts of ${subject} are frozen: ${examples}`,
  }),
]

/** Counts the live movements of the last hour, to some 400. */
async function countMovementsOfHour(app: App): Promise<number> {
  const installations = liveInstallations(app).map(({ id }) => id)
  const since = addMs(app.clock.now(), -HOUR_MS).toISOString()
  return (await firstRow(app.db.query(COUNT_MOVEMENTS, [installations, since])))?.count ?? 0
}
