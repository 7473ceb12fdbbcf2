import { accountOf, type Invariant } from '../invariant.ts'

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
