/**
 * One thing that is always true about money (ledger.md section 12, reliability.md section 2). `counted` returns the number of rows
 * checked; `offenders` returns the columns `merchant_id`, `mode` and `offender` (text), no row when the invariant holds. The first two
 * name the account whose payouts a breach pauses: both are null where the row belongs to no merchant, and neither is where it does. An
 * offender is a name of ours, never a text that a client has sent. In both queries, $1 is the time now, $2 the time 29 days ago (deliveries and
 * keys are pruned after 30) and $3 the name of the cell. The connection decides whose tables are read. Rows of the directory that are
 * compared with the cell's come from `fromDirectory`: the two may be on different servers.
 */
export type Invariant = {
  id: string
  /** One plain sentence for people. */
  says: string
  /** True where it finds late work: an alert reports that, and no payouts are paused for it. */
  late?: boolean
  counted: string
  offenders: string
}

/**
 * Rows of the directory, to be joined with tables of the cell. Read as a whole before the join, which a cluster needs where the two are on
 * different servers.
 */
export const fromDirectory = (table: string, columns: string): string =>
  `(select ${columns} from directory.${table} offset 0)`

/** The account columns of an offender that belongs to no merchant. */
export const NO_ACCOUNT = 'null::bigint as merchant_id, null::mode as mode'

/** The account columns of an offender that two joined rows describe, either of which may be missing. */
export const accountOf = (first: string, second: string): string =>
  `coalesce(${first}.merchant_id, ${second}.merchant_id) as merchant_id, coalesce(${first}.mode, ${second}.mode) as mode`

/** The mode of an offender whose row with the mode may be missing: without it the breach counts as one of live money. */
export const modeOrLive = (row: string): string => `coalesce(${row}.mode, 'live') as mode`

/**
 * By how much the times of two transactions may be the wrong way round: the clocks of two machines differ as docs/operating.md allows,
 * and one transaction took its time before it waited for a lock. Times of one transaction, and times that a transaction has compared
 * itself, need no slack.
 */
export const CLOCK_SLACK = `interval '10 seconds'`

/** The amount that `charge_net` posts for a charge: its net, less the shares of subaccounts (C2). */
export const RESIDUAL = 'c.amount - c.gift_card_amount - c.fee - coalesce(c.shares, 0)'

/** Whether money came in for a charge. */
export const PAID = `c.status in ('succeeded', 'refunded')`

/** Whether a payout still holds its reservation. */
export const RESERVED = `p.status in ('pending', 'authorized') and p.voided_at is null`
