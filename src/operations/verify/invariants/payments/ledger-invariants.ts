import { APPEND_ONLY_TABLES, MONEY_TABLES } from '../../../../platform/db/tables.ts'
import { type Invariant, NO_ACCOUNT } from '../invariant.ts'

// The audit of the directory is not among these: it is checked separately.
const RECORD_TABLES = MONEY_TABLES.filter((table) => APPEND_ONLY_TABLES.includes(table)).map((table) => `'${table}'`)

const TRANSFERS = 'select count(*) from transfers'

// The change of an account with a floor by one transfer `t`.
const changeSql = (account: string) =>
  `case when credit = '${account}' then amount when debit = '${account}' then -amount else 0 end`

// By how much a head exceeds the sum of its transfers. It is part of the offender's name: the same difference is the same breach, another
// one is another.
const excessSql = (balance: string) => `coalesce(h.${balance}, 0) - coalesce(t.${balance}, 0)`

// Each transfer of subaccounts, once for each side: subaccount, balance and amount.
const SUBACCOUNT_SIDES = ['debit', 'credit']
  .map(
    (
      side,
    ) => `select merchant_id, mode, seq, split_part(${side}, ':', 1) as balance, split_part(${side}, ':', 2) as subaccount_id,
      ${side === 'debit' ? '-amount' : 'amount'} as amount from transfers where starts_with(${side}, 'sub_')`,
  )
  .join(' union all ')

// Each transfer, once for each side.
const BOTH_SIDES = `select merchant_id, mode, seq, debit as account, -amount as amount from transfers
  union all select merchant_id, mode, seq, credit, amount from transfers`

/** The ledger on its own: transfers, the heads that cache them, the checkpoints that shorten them. */
export const LEDGER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'L1',
    says: 'the debits and credits of the known accounts cancel out for each merchant and mode',
    counted: TRANSFERS,
    offenders: `select merchant_id, mode, format('merchant %s %s: %s', merchant_id, mode, sum(balance)) as offender
      from (select merchant_id, mode, account, sum(amount) as balance from (${BOTH_SIDES}) s group by merchant_id, mode, account) a
      join unnest(array['available', 'pending', 'in_flight', 'sub_available', 'sub_pending', 'rail', 'fees', 'sandbox',
        'adjustments']) as known (account) on known.account = split_part(a.account, ':', 1)
      group by merchant_id, mode having sum(balance) <> 0`,
  },
  {
    id: 'L2',
    says: 'each head row, of merchants and of subaccounts, shows what its transfers add up to',
    counted: 'select (select count(*) from ledger_heads) + (select count(*) from subaccount_heads)',
    offenders: `select merchant_id, mode, format('merchant %s %s: available %s, pending %s, in_flight %s', merchant_id, mode,
          ${excessSql('available')}, ${excessSql('pending')}, ${excessSql('in_flight')}) as offender
      from ledger_heads h
      full join (select merchant_id, mode, sum(${changeSql('available')}) as available, sum(${changeSql('pending')}) as pending,
          sum(${changeSql('in_flight')}) as in_flight from transfers group by merchant_id, mode) t using (merchant_id, mode)
      where (h.available, h.pending, h.in_flight) is distinct from
        (coalesce(t.available, 0), coalesce(t.pending, 0), coalesce(t.in_flight, 0))
      union all
      select merchant_id, mode, format('%s %s: available %s, pending %s', subaccount_id, mode, ${excessSql('available')}, ${excessSql('pending')})
      from subaccount_heads h
      full join (select merchant_id, mode, subaccount_id, coalesce(sum(amount) filter (where balance = 'sub_available'), 0) as available,
          coalesce(sum(amount) filter (where balance = 'sub_pending'), 0) as pending
        from (${SUBACCOUNT_SIDES}) s group by merchant_id, mode, subaccount_id) t using (merchant_id, mode, subaccount_id)
      where (h.available, h.pending) is distinct from (coalesce(t.available, 0), coalesce(t.pending, 0))`,
  },
  {
    id: 'L3',
    says: 'no account with a floor was ever below zero, transfer by transfer',
    counted: TRANSFERS,
    offenders: `select merchant_id, mode, format('merchant %s %s at seq %s', merchant_id, mode, min(seq)) as offender
      from (select merchant_id, mode, seq, sum(${changeSql('available')}) over replay as available,
          sum(${changeSql('pending')}) over replay as pending, sum(${changeSql('in_flight')}) over replay as in_flight
        from transfers window replay as (partition by merchant_id, mode order by seq rows unbounded preceding)) r
      where least(available, pending, in_flight) < 0 group by merchant_id, mode
      union all
      select merchant_id, mode, format('%s %s at seq %s', subaccount_id, mode, min(seq))
      from (select merchant_id, mode, subaccount_id, seq, sum(amount) over (
          partition by merchant_id, mode, subaccount_id, balance order by seq rows unbounded preceding) as held
        from (${SUBACCOUNT_SIDES}) s) r
      where held < 0 group by merchant_id, mode, subaccount_id`,
  },
  {
    id: 'L4',
    says: 'transfers are numbered 1 to n without a gap, and the head row knows n',
    counted: TRANSFERS,
    offenders: `select merchant_id, mode, format('merchant %s %s: from %s, gaps %s, head %s', merchant_id, mode, t.first, t.last - t.number,
          coalesce(h.seq, 0) - coalesce(t.last, 0)) as offender
      from ledger_heads h
      full join (select merchant_id, mode, count(*) as number, min(seq) as first, max(seq) as last
        from transfers group by merchant_id, mode) t using (merchant_id, mode)
      where h.seq is distinct from coalesce(t.last, 0) or t.first <> 1 or t.number <> t.last`,
  },
  {
    id: 'L5',
    says: 'each checkpoint equals the sum of all transfers up to its number, and knows what those since the last one add up to',
    counted: 'select count(*) from ledger_checkpoints',
    // Each checkpoint is computed from the one before, so that all of them take one pass over the transfers.
    offenders: `select c.merchant_id, c.mode, format('merchant %s %s at seq %s', c.merchant_id, c.mode, c.seq) as offender
      from (select p.*, lag(seq, 1, 0::bigint) over steps as seq_before, lag(balances, 1, '{}') over steps as balances_before
        from ledger_checkpoints p window steps as (partition by merchant_id, mode order by seq)) c
      left join ledger_heads h on (h.merchant_id, h.mode) = (c.merchant_id, c.mode)
      where h.seq is null or c.seq > h.seq or exists (
        select from (
          select key as account, value::numeric as amount from jsonb_each_text(c.balances_before)
          union all select key, -value::numeric from jsonb_each_text(c.balances)
          union all select debit, -amount from transfers t
            where t.merchant_id = c.merchant_id and t.mode = c.mode and t.seq > c.seq_before and t.seq <= c.seq
          union all select credit, amount from transfers t
            where t.merchant_id = c.merchant_id and t.mode = c.mode and t.seq > c.seq_before and t.seq <= c.seq) s
        group by account having sum(amount) <> 0)
        or c.sums is not null and ((c.sums, c.first_at, c.last_at) = (
          select jsonb_object_agg(kind, jsonb_build_object('count', count, 'amount', amount, 'change', change)), min(first_at), max(last_at)
          from (select kind, count(*) as count, sum(amount) as amount, sum(${changeSql('available')}) + sum(${changeSql('pending')}) as change,
              min(at) as first_at, max(at) as last_at from transfers t
            where t.merchant_id = c.merchant_id and t.mode = c.mode and t.seq > c.after_seq and t.seq <= c.seq group by kind) k)) is not true`,
  },
  {
    id: 'L6',
    says: 'test funds never reach live, and nothing has transfers in both modes',
    counted: TRANSFERS,
    offenders: `select merchant_id, mode, subject as offender from transfers where mode = 'live' and 'sandbox' in (debit, credit)
      union all
      select merchant_id, max(mode), subject from transfers group by merchant_id, subject having min(mode) <> max(mode)`,
  },
  {
    id: 'L7',
    says: 'the tables of record are append-only: their triggers are on, the service may only read and add',
    counted: `select count(*) from pg_trigger where not tgisinternal and tgfoid = to_regproc('refuse_change')`,
    // 27 = for each row (1), before (2) delete (8) and update (16); 34 = before (2) truncate (32).
    offenders: `select ${NO_ACCOUNT}, name as offender
      from unnest(array[${RECORD_TABLES.join(', ')}]) as t (name)
      where (select count(distinct tgtype) from pg_trigger
          where tgrelid = to_regclass(name) and tgfoid = to_regproc('refuse_change') and tgenabled in ('O', 'A')
            and tgqual is null and tgtype in (27, 34)) < 2
        or exists (select from pg_roles where rolname = 'gateway_app'
          and has_table_privilege(oid, to_regclass(name), 'update, delete, truncate'))`,
  },
]
