import { accountOf, CLOCK_SLACK, type Invariant, PAID } from '../invariant.ts'

const DISPUTES = 'select count(*) from disputes'
const eventField = (name: string) => `(e.body::jsonb)->'data'->>'${name}'`

/** Problems that customers reported about their payments. */
export const DISPUTE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'LI6',
    says: 'a dispute is about a paid charge of its own merchant and mode, is the only open one of it, and moves no money',
    counted: DISPUTES,
    offenders: `select d.merchant_id, d.mode, d.id as offender
      from disputes d left join charges c on (c.merchant_id, c.id, c.mode) = (d.merchant_id, d.charge_id, d.mode)
      where (${PAID}) is not true or d.respond_by <> d.opened_at + interval '72 hours' or d.closed_at < d.opened_at - ${CLOCK_SLACK}
      union all
      select merchant_id, max(mode), charge_id from disputes where closed_at is null group by merchant_id, charge_id having count(*) > 1
      union all
      select d.merchant_id, d.mode, d.id from disputes d join transfers t on (t.merchant_id, t.subject) = (d.merchant_id, d.id)`,
  },
  {
    id: 'E2',
    says: 'each dispute told its merchant once, at the moment it opened, what was reported; no other was told',
    counted: DISPUTES,
    offenders: `select ${accountOf('d', 'e')}, coalesce(d.id, e.subject) as offender
      from disputes d
      full join (select merchant_id, mode, subject, count(*) as times, min(created_at) as at, min(body) as body
        from events where type = 'dispute.opened' group by merchant_id, mode, subject) e
        on (e.merchant_id, e.mode, e.subject) = (d.merchant_id, d.mode, d.id)
      where (e.times, e.at, ${eventField('dispute_id')}, ${eventField('charge_id')}, ${eventField('reason')}, ${eventField('details')},
          ${eventField('contact')}, (${eventField('opened_at')})::timestamptz, (${eventField('respond_by')})::timestamptz)
        is distinct from
          (1, d.opened_at, d.id, d.charge_id, d.reason, d.details, d.contact, d.opened_at, d.respond_by)`,
  },
]
