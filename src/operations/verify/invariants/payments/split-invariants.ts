import { type Invariant, PAID } from '../invariant.ts'

const SHARES = 'select count(*) from charge_shares'
const OWED_SHARES = `select s.*, c.channel, c.completed_at from charge_shares s
  join charges c on (c.merchant_id, c.id, c.mode) = (s.merchant_id, s.charge_id, s.mode) where ${PAID} and not s.reversed`
const CREDITED_SHARES = `select merchant_id, mode, subject as charge_id, split_part(credit, ':', 2) as subaccount_id, count(*) as times,
    sum(amount) as amount, min(debit) as debit, min(credit) as credit, min(at) as at
  from transfers where kind = 'split_share' group by merchant_id, mode, subject, split_part(credit, ':', 2)`

/** Split charges compared with their transfers. */
export const SPLIT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'C7',
    says: 'a split charge shares out its shares within its net, to one subaccount each; failed ones are reversed, paid ones held',
    counted: SHARES,
    // For a paid charge only paid-out shares count; before that, and for a failed one, all of them.
    offenders: `select merchant_id, mode, coalesce(c.id, s.id) as offender
      from (select c.*, ${PAID} as paid from charges c where c.shares is not null) c
      full join (select merchant_id, mode, charge_id as id, count(*) as shares, count(distinct subaccount_id) as payees,
          min(share_index) as first, max(share_index) as last, sum(amount) as amount,
          coalesce(sum(amount) filter (where not reversed), 0) as kept, count(*) filter (where not reversed) as owed,
          count(hold_until) as held, count(hold_until) filter (where not reversed) as owed_held,
          min(hold_until) as hold_until, max(hold_until) as last_hold
        from charge_shares group by merchant_id, mode, charge_id) s using (merchant_id, mode, id)
      where c.shares is null or s.shares is null or s.payees <> s.shares or s.first <> 0 or s.last <> s.shares - 1
        or s.amount > c.amount - c.gift_card_amount - c.fee or c.shares <> case when c.paid then s.kept else s.amount end
        or (not c.paid and s.owed <> case c.status when 'failed' then 0 else s.shares end)
        or s.held <> s.owed_held or s.held <> case when c.paid then s.owed else 0 end
        or s.hold_until <> c.hold_until or s.last_hold <> c.hold_until`,
  },
  {
    id: 'SP1',
    says: 'each share of a paid charge was credited to its subaccount once, when the charge completed; no other was',
    counted: `select count(*) from transfers where kind = 'split_share'`,
    // A share without a hold (its hold ends when its charge completes) is available at once.
    offenders: `select merchant_id, mode, charge_id as offender
      from (${OWED_SHARES}) s full join (${CREDITED_SHARES}) t using (merchant_id, mode, charge_id, subaccount_id)
      where t.times is distinct from 1 or (t.amount, t.debit, t.at) is distinct from (s.amount, 'rail:' || s.channel, s.completed_at)
        or t.credit <> case s.hold_until when s.completed_at then 'sub_available:' else 'sub_pending:' end || s.subaccount_id`,
  },
  {
    id: 'SP2',
    says: "a subaccount's pending is the sum of its shares that are not yet settled",
    counted: 'select count(*) from subaccount_heads',
    offenders: `select merchant_id, mode, format('%s %s: %s', subaccount_id, mode, coalesce(h.pending, 0) - coalesce(o.pending, 0)) as offender
      from subaccount_heads h
      full join (select merchant_id, mode, subaccount_id, sum(amount) as pending from charge_shares
        where hold_until is not null and settled_at is null group by merchant_id, mode, subaccount_id) o
        using (merchant_id, mode, subaccount_id)
      where h.pending is distinct from coalesce(o.pending, 0)`,
  },
]
