import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Mode } from '../platform/mode.ts'
import type { Transfer } from './read-subject-transfers.ts'

/** The sums of all ledger heads of a cell in one mode. Whole UGX. */
export type LedgerTotals = {
  mode: Mode
  ledgers: number
  available: number
  pending: number
  inFlight: number
}
/** An account of the platform, summed over the last checkpoint of each ledger, so it lags behind by what came after them. */
export type PlatformAccount = { mode: Mode; account: string; balance: number }
/** The head of one ledger, with its last checkpoint and how far its months are closed. */
export type LedgerHeadSummary = {
  mode: Mode
  available: number
  pending: number
  inFlight: number
  seq: number
  pausedBy: string | null
  frozenFor: string | null
  closedUntil: Date | null
  checkpointSeq: number | null
  checkpointAt: Date | null
}
export type LedgerTransfer = Transfer & { subject: string }

export const TRANSFERS_PER_PAGE = 50

const TOTALS = statement<LedgerTotals>(
  'totals of ledgers',
  `select mode, count(*)::int as ledgers, sum(available)::bigint as available, sum(pending)::bigint as pending,
     sum(in_flight)::bigint as "inFlight" from ledger_heads group by mode order by mode desc`,
)
// Accounts of the platform have no head, so they are added up over the last checkpoint of each ledger.
const PLATFORM_ACCOUNTS = statement<PlatformAccount>(
  'platform accounts',
  `select h.mode, b.key as account, sum(b.value::bigint)::bigint as balance from ledger_heads h
   cross join lateral (select balances from ledger_checkpoints c where c.merchant_id = h.merchant_id and c.mode = h.mode
     order by seq desc limit 1) c
   cross join lateral jsonb_each_text(c.balances) b
   where b.key not in ('available', 'pending', 'in_flight') and b.key not like 'sub\\_%' group by 1, 2 order by 1 desc, 2`,
)
const HEADS = statement<LedgerHeadSummary>(
  'heads of merchant',
  `select h.mode, h.available, h.pending, h.in_flight as "inFlight", h.seq, h.payouts_paused_by as "pausedBy",
     h.payouts_frozen_for as "frozenFor", nullif(h.closed_until, '-infinity') as "closedUntil", c.seq as "checkpointSeq", c.at as "checkpointAt"
   from ledger_heads h left join lateral (select seq, at from ledger_checkpoints c where c.merchant_id = h.merchant_id and c.mode = h.mode
     order by seq desc limit 1) c on true
   where h.merchant_id = $1 order by h.mode desc`,
)
const TRANSFERS = statement<LedgerTransfer>(
  'transfers by number',
  `select seq, kind, subject, debit, credit, amount, at from transfers
   where merchant_id = $1 and mode = $2 and seq < $3 order by seq desc limit $4`,
)

export const readLedgerTotals = (db: Database): Promise<LedgerTotals[]> => db.query(TOTALS)
export const readPlatformAccounts = (db: Database): Promise<PlatformAccount[]> => db.query(PLATFORM_ACCOUNTS)
export const readLedgerHeads = (db: Database, merchantId: number): Promise<LedgerHeadSummary[]> =>
  db.query(HEADS, [merchantId])

/** Reads the transfers of one ledger below a number, newest first: one more than a page, which says that there are more. */
export const readTransfersBelow = (
  db: Database,
  { merchantId, mode, below }: { merchantId: number; mode: Mode; below: number },
): Promise<LedgerTransfer[]> => db.query(TRANSFERS, [merchantId, mode, below, TRANSFERS_PER_PAGE + 1])
