import { MERCHANT_TABLES } from '../../../../platform/db/tables.ts'
import { type Invariant, NO_ACCOUNT } from '../invariant.ts'

// All tables that name a subaccount.
const SUBACCOUNT_TABLES = ['subaccount_heads', 'charge_shares', 'payouts', 'settlements']

export const OWNER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'M1',
    says: 'every row of money belongs to a merchant of this cell',
    counted: `select sum(rows) from (${MERCHANT_TABLES.map((table) => `select count(*) as rows from ${table}`).join(' union all ')}) t`,
    offenders: `select ${NO_ACCOUNT}, format('%s of merchant %s', place, merchant_id) as offender
      from (${MERCHANT_TABLES.map((table) => `select '${table}' as place, merchant_id from ${table} group by merchant_id`).join(' union all ')}) t
      where merchant_id not in (select id from merchants)`,
  },
  {
    id: 'M2',
    says: 'every merchant has its head row in both modes',
    counted: 'select count(*) from merchants',
    offenders: `select m.id as merchant_id, one as mode, format('merchant %s %s', m.id, one) as offender
      from merchants m cross join unnest(enum_range(null::mode)) as both_modes (one)
      left join ledger_heads h on (h.merchant_id, h.mode) = (m.id, one) where h.seq is null`,
  },
  {
    id: 'M3',
    says: 'every subaccount that is named is one of its own merchant',
    counted: 'select count(*) from subaccounts',
    offenders: `select t.merchant_id, t.mode, format('%s of %s of merchant %s %s', t.place, t.subaccount_id, t.merchant_id, t.mode) as offender
      from (${SUBACCOUNT_TABLES.map((table) => `select '${table}' as place, merchant_id, mode, subaccount_id from ${table} where subaccount_id is not null group by merchant_id, mode, subaccount_id`).join(' union all ')}) t
      left join subaccounts s on (s.merchant_id, s.id) = (t.merchant_id, t.subaccount_id) where s.id is null`,
  },
]
