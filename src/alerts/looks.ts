import { statement } from '../platform/db/statement.ts'
import type { Look, Seen } from './look-around.ts'
import { LOOKS_OF_TODAY } from './looks-of-today.ts'
import { movementsOfAnHour } from './movements-of-an-hour.ts'

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

// Of very few payments one is always more than 5 %.
const FEW = 3
const PARKED = statement<Seen>(
  'alert: parked money',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where left_at <= $1::timestamptz - interval '15 minutes' group by noun having count(*) > 20 or (count(*) >= ${FEW} and count(*) * 20 > $2::bigint)`,
)
const STUCK = statement<Seen>(
  'alert: stuck money',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where left_at <= $1::timestamptz - $2 * interval '1 hour' group by noun`,
)
const NEVER_ARRIVED = statement<Seen>(
  'alert: never arrived',
  `select noun || 's' as subject, ${SUMMED} from (${WITHOUT_ANSWER}) x
   where first_not_found_at is not null and left_at <= $1::timestamptz - $2 * interval '1 hour' group by noun`,
)

/** Rows of a queue that have been due for so long that no worker is on it. `amount` is in seconds there. */
const late = (queue: string, from: string, due: string, after: string) => `
  select '${queue}' as subject, count(*) as count, 0 as amount, min(due) as since, '' as examples
  from (select ${due} as due from ${from} and ${due} <= $1::timestamptz - interval '${after}' order by 1 limit 1000) x
  having count(*) > 0`
// Payouts of a frozen or paused account wait on purpose.
const BEHIND = statement<Seen>(
  'alert: sweep behind',
  [
    // Both modes by name: the index of due times begins with the mode.
    late(
      'follow-charges',
      `charges c where c.follow_at is not null and c.mode in ('test', 'live')`,
      'c.follow_at',
      '5 minutes',
    ),
    late('follow-top-ups', 'top_ups t where t.follow_at is not null', 't.follow_at', '5 minutes'),
    late(
      'send-payouts',
      `payouts p join ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode, payout_stops s
         where p.follow_at is not null and h.payouts_paused_by is null and h.payouts_frozen_for is null and s.frozen_for is null`,
      'p.follow_at',
      '5 minutes',
    ),
    late(
      'settle-charges',
      `ledger_heads h cross join lateral (select hold_until from charges c
           where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null and c.hold_until is not null
           order by c.hold_until limit 1) held where h.mode = 'live'`,
      'held.hold_until',
      '2 hours',
    ),
    late(
      'send-notices',
      `notices n where n.confirmed_at is not null and n.stopped_at is null and (n.payments_above is not null or n.failures)
         and (n.hour_from is null or n.hour_from < $1::timestamptz - interval '1 hour')`,
      'n.told_until',
      '90 minutes',
    ),
    late('seal-audit', 'audit_to_seal q join audit a on a.id = q.audit_id where true', 'a.at', '5 minutes'),
    late('run-schedules', `schedules s where s.status = 'active'`, 's.next_run_at', '10 minutes'),
    late(
      'send-deliveries',
      `deliveries d where d.next_attempt_at is not null and d.attempts = 0`,
      'd.next_attempt_at',
      '10 minutes',
    ),
  ].join(' union all '),
)
const BREAKS = statement<Seen>(
  'alert: critical breaks',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(e.opened_at) as since,
     array_to_string((array_agg(e.kind || ' of ' || e.subject order by e.opened_at))[1:5], ', ') as examples
   from exceptions e join merchants m on m.id = e.merchant_id
   where e.closed_at is null and e.severity = 'critical' and e.opened_at <= $1::timestamptz group by m.public_id order by 4 limit 100`,
)
const REPORTS_HELD = statement<Seen>(
  'alert: reports held',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(d.opened_at) as since,
     array_to_string((array_agg(d.id order by d.opened_at))[1:5], ', ') as examples
   from disputes d join merchants m on m.id = d.merchant_id
   where d.tell_at > $1::timestamptz group by m.public_id order by 2 desc limit 100`,
)
// Neither row stores when it was frozen; the alert keeps the time at which it was first seen.
const FROZEN = statement<Seen>(
  'alert: frozen payouts',
  `select 'platform' as subject, 1 as count, 0 as amount, $1::timestamptz as since, s.frozen_for as examples
   from payout_stops s where s.frozen_for is not null
   union all
   (select m.public_id, 1, 0, $1::timestamptz, h.payouts_frozen_for from ledger_heads h join merchants m on m.id = h.merchant_id
    where h.payouts_frozen_for is not null order by 1 limit 100)`,
)

// What one operator may do alone and others must hear of.
const TERMS = statement<Seen>(
  'alert: terms of merchants',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(a.at) as since,
     array_to_string(array_agg(distinct a.action), ', ') as examples
   from audit a join merchants m on m.id = a.merchant_id
   where a.action in ('merchant.terms', 'withdrawal.verify') and a.at > $1::timestamptz - interval '24 hours'
     and a.at <= $1 and a.actor_kind = 'operator' group by m.public_id order by 4 limit 100`,
)

// Of an hour. A pay list of three hundred people is rare, and its names are asked for twenty at a time. Index: audit_of_look_ups.
const MANY_LOOK_UPS = 300
const LOOK_UPS = statement<Seen>(
  'alert: long look-ups',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(a.at) as since, '' as examples
   from audit a join merchants m on m.id = a.merchant_id
   where a.action = 'wallet.look-up' and a.at > $1::timestamptz - interval '1 hour' and a.at <= $1 and a.mode = 'live'
   group by m.public_id having count(*) >= ${MANY_LOOK_UPS} order by 2 desc limit 100`,
)

const money = ({ subject, count, amount, examples }: Seen) =>
  `${count} live ${subject} of ${amount} UGX together (${examples})`

/** All checks of a cell. What only a command can find (`verify`) is recorded by the command. */
export const LOOKS: readonly Look[] = [
  {
    kind: 'parked_money',
    rows: PARKED,
    value: movementsOfAnHour,
    says: (seen) => `${money(seen)} have waited for the operator's answer for more than 15 minutes`,
  },
  {
    kind: 'stuck_money',
    rows: STUCK,
    value: async ({ config }) => config.stuckHours,
    says: (seen, hours) =>
      `${money(seen)} have waited for the operator's answer for more than ${hours} hours`,
  },
  {
    kind: 'never_arrived',
    rows: NEVER_ARRIVED,
    value: async ({ config }) => config.unresolvedHours,
    says: (seen, hours) =>
      `${money(seen)} left more than ${hours} hours ago, and the operator does not know them`,
  },
  {
    kind: 'sweep_behind',
    rows: BEHIND,
    says: ({ subject, count }) =>
      `the task ${subject} is behind: ${count === 1000 ? 'at least 1000' : count} rows are overdue`,
  },
  {
    kind: 'critical_break',
    rows: BREAKS,
    says: ({ subject, count, examples }) =>
      `${count} critical exceptions of ${subject} are open: ${examples}`,
  },
  {
    kind: 'reports_held',
    rows: REPORTS_HELD,
    says: ({ subject, count, examples }) =>
      `${count} live problem reports of ${subject} are beyond what it is told of in a day (${examples})`,
  },
  {
    kind: 'merchant_terms',
    rows: TERMS,
    says: ({ subject, count, examples }) =>
      `an operator changed what decides about money of ${subject}, ${count} times in a day: ${examples}`,
  },
  {
    kind: 'long_look_ups',
    rows: LOOK_UPS,
    says: ({ subject, count }) => `${subject} has asked for the holders of ${count} wallets within an hour`,
  },
  {
    kind: 'payouts_frozen',
    rows: FROZEN,
    says: ({ subject, examples }) =>
      subject === 'platform'
        ? `live payouts of the platform are frozen: ${examples}`
        : `live payouts of ${subject} are frozen: ${examples}`,
  },
  ...LOOKS_OF_TODAY,
]
