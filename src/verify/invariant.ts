/**
 * One thing that is always true about money (ledger.md section 12, reliability.md section 2). `counted` answers with the
 * number of rows looked at; `offenders` with a column `offender text`, no row when it holds. In both, $1 is the time now
 * and $2 the time 29 days ago: deliveries and keys are pruned after 30. No schema is named: the connection decides the
 * cell.
 */
export type Invariant = {
  id: string
  /** One plain sentence for people. */
  says: string
  counted: string
  offenders: string
}

/** What `charge_net` posts for a charge: its net, less the shares of subaccounts (C2). */
export const RESIDUAL = 'c.amount - c.gift_card_amount - c.fee - coalesce(c.shares, 0)'

/** Whether money came in for a charge. */
export const PAID = `c.status in ('succeeded', 'refunded')`

/** Whether a payout still holds its reservation. */
export const RESERVED = `p.status in ('pending', 'authorized') and p.voided_at is null`
