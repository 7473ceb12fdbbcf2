import { statement } from '../../../platform/db/statement.ts'
import { type CellFinding, type Check, cellCheck } from '../check.ts'

const REPORTS_HELD = statement<CellFinding>(
  'alert: reports held',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(d.opened_at) as since,
     array_to_string((array_agg(d.id order by d.opened_at))[1:5], ', ') as examples
   from disputes d join merchants m on m.id = d.merchant_id
   where d.tell_at > $1::timestamptz group by m.public_id order by 2 desc limit 100`,
)

// Terms that one member of staff may change alone and that others must hear of.
const TERMS = statement<CellFinding>(
  'alert: terms of merchants',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(a.at) as since,
     array_to_string(array_agg(distinct a.action), ', ') as examples
   from audit a join merchants m on m.id = a.merchant_id
   where a.action in ('merchant.terms', 'withdrawal.verify') and a.at > $1::timestamptz - interval '24 hours'
     and a.at <= $1 and a.actor_kind = 'operator' group by m.public_id order by 4 limit 100`,
)

// A pay list of three hundred people is rare, and its names are asked for twenty at a time. Index: audit_of_look_ups.
const MANY_LOOK_UPS_AN_HOUR = 300
const LOOK_UPS = statement<CellFinding>(
  'alert: long look-ups',
  `select m.public_id as subject, count(*) as count, 0 as amount, min(a.at) as since, '' as examples
   from audit a join merchants m on m.id = a.merchant_id
   where a.action = 'wallet.look-up' and a.at > $1::timestamptz - interval '1 hour' and a.at <= $1 and a.mode = 'live'
   group by m.public_id having count(*) >= ${MANY_LOOK_UPS_AN_HOUR} order by 2 desc limit 100`,
)

/** Checks of one merchant's affairs that staff must hear of. */
export const MERCHANT_CHECKS: readonly Check[] = [
  cellCheck({
    kind: 'reports_held',
    query: REPORTS_HELD,
    message: ({ subject, count, examples }) =>
      `${count} live problem reports of ${subject} are beyond what it is told of in a day (${examples})`,
  }),
  cellCheck({
    kind: 'merchant_terms',
    query: TERMS,
    message: ({ subject, count, examples }) =>
      `an operator changed what decides about money of ${subject}, ${count} times in a day: ${examples}`,
  }),
  cellCheck({
    kind: 'long_look_ups',
    query: LOOK_UPS,
    message: ({ subject, count }) => `${subject} has asked for the holders of ${count} wallets within an hour`,
  }),
]
