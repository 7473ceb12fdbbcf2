/**
 * One thing that is always true about money (ledger.md section 12, reliability.md section 2). `counted` answers with the
 * number of rows looked at; `offenders` with the columns `merchant_id`, `mode` and `offender` (text), no row when it holds. The
 * first two name the account whose payouts a breach pauses: both are null where the row belongs to no merchant, and neither is
 * where it does. An offender is a name of ours, never a text that a client has sent. In both queries, $1 is the time now and $2
 * the time 29 days ago: deliveries and keys are pruned after 30. No schema is named: the connection decides the cell.
 */
export type Invariant = {
  id: string
  /** One plain sentence for people. */
  says: string
  /** It finds work that is late: an alert tells of that, and nobody's payouts are paused for it. */
  late?: boolean
  counted: string
  offenders: string
}

/** The account of an offender that belongs to no merchant. */
export const OF_NOBODY = 'null::bigint as merchant_id, null::mode as mode'

/** The account of an offender that two joined rows describe, either of which may be missing. */
export const accountOf = (one: string, other: string): string =>
  `coalesce(${one}.merchant_id, ${other}.merchant_id) as merchant_id, coalesce(${one}.mode, ${other}.mode) as mode`

/** The mode of an offender whose row with the mode may be missing: a breach that nobody can place is one of live money. */
export const modeOf = (one: string): string => `coalesce(${one}.mode, 'live') as mode`

/**
 * By how much times of two transactions may be the wrong way round: two machines whose clocks differ as docs/operating.md allows, and one
 * of the two took its time before it waited for a lock. Times of one transaction, and times that a transaction has compared itself, need
 * none.
 */
export const CLOCK_SLACK = `interval '10 seconds'`

/** What `charge_net` posts for a charge: its net, less the shares of subaccounts (C2). */
export const RESIDUAL = 'c.amount - c.gift_card_amount - c.fee - coalesce(c.shares, 0)'

/** Whether money came in for a charge. */
export const PAID = `c.status in ('succeeded', 'refunded')`

/** Whether a payout still holds its reservation. */
export const RESERVED = `p.status in ('pending', 'authorized') and p.voided_at is null`
