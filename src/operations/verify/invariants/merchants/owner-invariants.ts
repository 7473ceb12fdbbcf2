import { MERCHANT_TABLES } from '../../../../platform/db/tables.ts'
import { fromDirectory, type Invariant, NO_ACCOUNT } from '../invariant.ts'

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
  {
    id: 'M4',
    says: 'a business made for tests belongs to a merchant of its cell that is none itself, has no live key, no real money and no people',
    counted: 'select count(*) from merchants where parent_id is not null',
    // Removed before its time, it expires earlier in the directory.
    offenders: `select m.id as merchant_id, 'test'::mode as mode, m.public_id as offender from merchants m
      left join ${fromDirectory('merchants', 'id, parent_id, expires_at')} d on d.id = m.id
      where (m.parent_id is not null or d.parent_id is not null)
        and (d.parent_id is distinct from m.parent_id or d.expires_at > m.expires_at
          or m.parent_id not in (select p.id from merchants p where p.parent_id is null)
          or exists (select from ledger_heads h where h.merchant_id = m.id and h.mode = 'live' and h.seq > 0)
          or m.id in (select k.merchant_id from ${fromDirectory('api_keys', 'merchant_id, kind')} k where k.kind like 'live%')
          or m.id in (select w.merchant_id from ${fromDirectory('memberships', 'merchant_id')} w))`,
  },
]
