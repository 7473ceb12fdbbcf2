import { FEE_MAX, FEE_MIN, FEE_PERCENT, feeSql } from '../../../../ledger/fees.ts'
import { accountOf, type Invariant, PAID, RESIDUAL } from '../invariant.ts'

const CHARGES = 'select count(*) from charges'

// The transfers of each charge, in any mode, however many.
const POSTED_CHARGES = `select merchant_id, mode, subject,
    count(*) filter (where kind = 'charge_net') as nets, count(*) filter (where kind = 'charge_fee') as fees,
    sum(amount) filter (where kind = 'charge_net') as net, sum(amount) filter (where kind = 'charge_fee') as fee,
    min(debit) as debit, max(debit) as other_debit, min(at) as at, max(at) as last_at
  from transfers where kind in ('charge_net', 'charge_fee') group by merchant_id, mode, subject`

/** Charges compared with their transfers, and with the rules in force when they finished. */
export const CHARGE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'C1',
    says: 'a charge that was paid has its one net and its one fee, posted when it completed; any other has none',
    counted: CHARGES,
    offenders: `select ${accountOf('c', 'p')}, coalesce(c.id, p.subject) as offender
      from charges c full join (${POSTED_CHARGES}) p on (p.merchant_id, p.subject, p.mode) = (c.merchant_id, c.id, c.mode)
      where c.id is null or coalesce(p.nets, 0) <> (${PAID} and ${RESIDUAL} > 0)::int
        or coalesce(p.fees, 0) <> (${PAID} and c.fee > 0)::int
        or p.at <> c.completed_at or p.last_at <> c.completed_at`,
  },
  {
    id: 'C2',
    says: "a charge's transfers are its net and its fee, from the mirror of its own channel",
    counted: `select count(*) from transfers where kind in ('charge_net', 'charge_fee')`,
    offenders: `select c.merchant_id, c.mode, c.id as offender
      from charges c join (${POSTED_CHARGES}) p on (p.merchant_id, p.subject, p.mode) = (c.merchant_id, c.id, c.mode)
      where p.net <> ${RESIDUAL} or p.fee <> c.fee or p.debit <> 'rail:' || c.channel or p.other_debit <> p.debit`,
  },
  {
    id: 'C3',
    says: `every fee is the formula: ${FEE_PERCENT} percent of what mobile money brought or took out, at least ${FEE_MIN}, at most ${FEE_MAX}`,
    counted: `select (${CHARGES}) + (select count(*) from payouts)`,
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
        where c.fee is distinct from case c.amount - c.gift_card_amount when 0 then 0 else ${feeSql('c.amount - c.gift_card_amount')} end
      union all
      select p.merchant_id, p.mode, p.id from payouts p where p.fee is distinct from ${feeSql('p.amount')}`,
  },
  {
    id: 'C5',
    says: 'pending is the sum of the nets that are paid and not yet settled',
    counted: `select count(*) from charges c where ${PAID} and c.settled_at is null`,
    offenders: `select merchant_id, mode, format('merchant %s %s: %s', merchant_id, mode, coalesce(h.pending, 0) - coalesce(o.pending, 0)) as offender
      from ledger_heads h
      full join (select merchant_id, mode, sum(${RESIDUAL}) as pending from charges c
        where ${PAID} and c.settled_at is null group by merchant_id, mode) o using (merchant_id, mode)
      where h.pending is distinct from coalesce(o.pending, 0)`,
  },
  {
    id: 'C6',
    says: 'only a failed charge has a reason, every final one has its time, and failing moves no money',
    counted: CHARGES,
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
      where (c.status = 'failed') <> (c.failure_reason is not null)
        or (c.status in ('succeeded', 'failed', 'refunded')) <> (c.completed_at is not null)
      union all
      select c.merchant_id, c.mode, c.id from charges c join transfers t on (t.merchant_id, t.subject) = (c.merchant_id, c.id)
      where c.status = 'failed'`,
  },
]

/** Refunded charges, and the payouts that bring the money back. */
export const REFUND_INVARIANTS: readonly Invariant[] = [
  {
    id: 'R1',
    says: 'a refunded charge has its one refund: all that was paid by mobile money, to who paid it, in the same commit; none where that was nothing',
    counted: `select count(*) from charges where status = 'refunded'`,
    offenders: `select ${accountOf('c', 'p')}, coalesce(c.id, p.charge_id, p.payout_id) as offender
      from (select * from charges where status = 'refunded' and (amount > gift_card_amount or refund_id is not null)) c
      full join (select merchant_id, mode, charge_id, count(*) as times, min(id) as payout_id, sum(amount) as amount,
          sum(fee_to_return) as fee, min(recipient_phone) as phone, min(created_at) as at
        from payouts where kind = 'refund' and voided_at is null group by merchant_id, mode, charge_id) p
        on (p.merchant_id, p.mode, p.charge_id) = (c.merchant_id, c.mode, c.id)
      where p.times is distinct from 1 or c.shares is not null
        or (p.payout_id, p.amount, p.fee, p.phone, p.at) is distinct from
          (c.refund_id, c.amount - c.gift_card_amount, c.fee, c.phone, c.refunded_at)`,
  },
  {
    id: 'R2',
    says: 'the fee of a refunded charge comes back once, when its refund was paid, and never before',
    counted: `select count(*) from payouts where kind = 'refund'`,
    offenders: `select merchant_id, mode, charge_id as offender
      from (select merchant_id, mode, charge_id, fee_to_return, completed_at from payouts
        where kind = 'refund' and status = 'succeeded' and fee_to_return > 0) p
      full join (select merchant_id, mode, subject as charge_id, count(*) as times, sum(amount) as amount, min(at) as at
        from transfers where kind = 'charge_fee_return' group by merchant_id, mode, subject) t using (merchant_id, mode, charge_id)
      where t.times is distinct from 1 or (t.amount, t.at) is distinct from (p.fee_to_return, p.completed_at)`,
  },
]
