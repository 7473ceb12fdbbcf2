import { type Invariant, RESIDUAL } from './invariant.ts'

// What the charges say about each settlement that they name.
const NAMED = `select c.merchant_id, c.mode, c.settlement_id as id, count(*) as charges, sum(${RESIDUAL}) as amount,
    min(c.id) as charge_id, min(c.settled_at) as first_at, max(c.settled_at) as last_at
  from charges c where c.settlement_id is not null group by c.merchant_id, c.mode, c.settlement_id`
const SETTLEMENTS = 'select count(*) from settlements'

/** The way from pending to available, and the records of it. */
export const SETTLEMENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'C4',
    says: 'a charge names a settlement of its own merchant, mode and moment exactly when it is settled',
    counted: 'select count(*) from charges where settled_at is not null',
    offenders: `select c.id as offender
      from charges c left join settlements s on (s.merchant_id, s.id, s.mode) = (c.merchant_id, c.settlement_id, c.mode)
      where (c.settlement_id is not null) <> (c.settled_at is not null and ${RESIDUAL} > 0)
        or (c.settlement_id is not null and s.created_at is distinct from c.settled_at)`,
  },
  {
    id: 'CH10',
    says: 'only a paid charge is settled, and in live never before its hold is over',
    counted: 'select count(*) from charges where settled_at is not null',
    // In test mode a hold lies on the merchant's own clock, which it may have moved since: settled_at is real time.
    offenders: `select c.id as offender from charges c
      where c.settled_at is not null and (c.status not in ('succeeded', 'refunded') or c.hold_until is null
        or (c.mode = 'live' and c.settled_at < c.hold_until))`,
  },
  {
    id: 'SE1',
    says: "a settlement's amount is what its charges brought and what the ledger released for it, at the same moment",
    counted: SETTLEMENTS,
    // Without a hold the charge's own net goes straight to available; otherwise one transfer releases the sum.
    offenders: `select coalesce(s.id, r.subject) as offender
      from (select s.*, n.amount as brought, case s.kind when 'instant' then n.charge_id else s.id end as posted_for,
          case s.kind when 'instant' then 'charge_net' else 'hold_release' end as posted_as
        from settlements s left join (${NAMED}) n using (merchant_id, mode, id)) s
      full join (select * from transfers where kind = 'hold_release' or (kind = 'charge_net' and credit = 'available')) r
        on (r.merchant_id, r.mode, r.subject, r.kind) = (s.merchant_id, s.mode, s.posted_for, s.posted_as)
      where s.amount is distinct from s.brought or s.amount is distinct from r.amount or s.created_at is distinct from r.at`,
  },
  {
    id: 'SE2',
    says: 'a settlement counts exactly the charges that name it',
    counted: SETTLEMENTS,
    offenders: `select id as offender from settlements s left join (${NAMED}) n using (merchant_id, mode, id)
      where s.charge_count is distinct from n.charges`,
  },
]
