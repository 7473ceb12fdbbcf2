import { accountOf, type Invariant, RESIDUAL } from '../invariant.ts'

const SETTLED = '(select count(*) from charges where settled_at is not null)'
const SETTLED_SHARES = '(select count(*) from charge_shares where settled_at is not null)'
const SETTLEMENTS = 'select count(*) from settlements'

// The settlements that charges and shares name, with their sums. A share without a hold (its hold ends when its charge completes) is
// released by the transfer that credits it.
const SETTLED_SUMS = `select merchant_id, mode, settlement_id as id, count(*) as charges, sum(${RESIDUAL}) as amount,
    min(c.id) as charge_id, false as at_once, null as payee, null as last_payee
  from charges c where settlement_id is not null group by merchant_id, mode, settlement_id
  union all
  select s.merchant_id, s.mode, s.settlement_id, count(*), sum(s.amount), min(s.charge_id),
    bool_or(s.hold_until = c.completed_at), min(s.subaccount_id), max(s.subaccount_id)
  from charge_shares s join charges c on (c.merchant_id, c.id) = (s.merchant_id, s.charge_id)
  where s.settlement_id is not null group by s.merchant_id, s.mode, s.settlement_id`

// Every transfer that makes money of a charge available, with its subaccount.
const RELEASES = `select *, case when starts_with(kind, 'split_') then split_part(credit, ':', 2) end as payee from transfers
  where kind in ('hold_release', 'split_release') or (kind = 'charge_net' and credit = 'available')
    or (kind = 'split_share' and starts_with(credit, 'sub_available:'))`

/** The release from pending to available, and its records. */
export const SETTLEMENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'C4',
    says: 'a charge or share names a settlement of its own merchant, mode and moment exactly when it is settled',
    counted: `select ${SETTLED} + ${SETTLED_SHARES}`,
    offenders: `select c.merchant_id, c.mode, c.id as offender
        from charges c left join settlements s on (s.merchant_id, s.id, s.mode) = (c.merchant_id, c.settlement_id, c.mode)
        where (c.settlement_id is not null) <> (c.settled_at is not null and ${RESIDUAL} > 0)
          or (c.settlement_id is not null and s.created_at is distinct from c.settled_at)
      union all
      select h.merchant_id, h.mode, h.charge_id
        from charge_shares h left join settlements s
          on (s.merchant_id, s.id, s.mode, s.subaccount_id) = (h.merchant_id, h.settlement_id, h.mode, h.subaccount_id)
        where s.created_at is distinct from h.settled_at or (h.settlement_id is null) <> (h.settled_at is null)`,
  },
  {
    id: 'CH10',
    says: 'only a paid charge or share is settled, and in live never before its hold is over',
    counted: `select ${SETTLED} + ${SETTLED_SHARES}`,
    // In test mode a hold is on the merchant's test clock, which may have moved since; settled_at is real time.
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
        where c.settled_at is not null and (c.status not in ('succeeded', 'refunded') or c.hold_until is null
          or (c.mode = 'live' and c.settled_at < c.hold_until))
      union all
      select merchant_id, mode, charge_id from charge_shares
        where settled_at is not null and (reversed or hold_until is null or (mode = 'live' and settled_at < hold_until))`,
  },
  {
    id: 'SE1',
    says: "a settlement's amount is what its charges or shares brought and what the ledger released for it, at the same moment",
    counted: SETTLEMENTS,
    // Without a hold the net or share goes straight to available; otherwise one transfer releases the sum.
    offenders: `select ${accountOf('s', 'r')}, coalesce(s.id, r.subject) as offender
      from (select s.*, n.amount as brought, n.payee, n.last_payee,
          case when s.kind = 'instant' or n.at_once then n.charge_id else s.id end as posted_for,
          case s.kind when 'instant' then 'charge_net' when 'sweep' then 'hold_release'
            else case when n.at_once then 'split_share' else 'split_release' end end as posted_as
        from settlements s left join (${SETTLED_SUMS}) n using (merchant_id, mode, id)) s
      full join (${RELEASES}) r on (r.merchant_id, r.mode, r.subject, r.kind, coalesce(r.payee, ''))
        = (s.merchant_id, s.mode, s.posted_for, s.posted_as, coalesce(s.subaccount_id, ''))
      where s.amount is distinct from s.brought or s.amount is distinct from r.amount or s.created_at is distinct from r.at
        or (s.payee, s.last_payee) is distinct from (s.subaccount_id, s.subaccount_id)`,
  },
  {
    id: 'SE2',
    says: 'a settlement counts exactly the charges, or shares, that name it',
    counted: SETTLEMENTS,
    offenders: `select merchant_id, mode, id as offender from settlements s left join (${SETTLED_SUMS}) n using (merchant_id, mode, id)
      where s.charge_count is distinct from n.charges`,
  },
]
