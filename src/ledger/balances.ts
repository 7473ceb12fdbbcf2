import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Mode } from '../platform/mode.ts'
import type { ExactSum } from '../platform/sums.ts'

/** The sums of the transfers, and the balances cached in the head row, read in one snapshot. Whole UGX. */
type LedgerBalance = {
  available: ExactSum
  pending: ExactSum
  cachedAvailable: ExactSum
  cachedPending: ExactSum
}

// The newest checkpoint plus the transfers after it, so the cost does not grow with the history (ledger.md section 10).
const BALANCE = statement<LedgerBalance>(
  'balance',
  `with head as (select available, pending from ledger_heads where merchant_id = $1 and mode = $2),
   checkpoint as (
     select seq, (balances->>'available')::bigint as available, (balances->>'pending')::bigint as pending
     from ledger_checkpoints where merchant_id = $1 and mode = $2 order by seq desc limit 1),
   since as (
     select coalesce(sum(case when credit = 'available' then amount when debit = 'available' then -amount end), 0)::bigint as available,
            coalesce(sum(case when credit = 'pending' then amount when debit = 'pending' then -amount end), 0)::bigint as pending
     from transfers where merchant_id = $1 and mode = $2 and seq > coalesce((select seq from checkpoint), 0))
   select since.available + coalesce(checkpoint.available, 0) as available,
          since.pending + coalesce(checkpoint.pending, 0) as pending,
          head.available as "cachedAvailable", head.pending as "cachedPending"
   from head cross join since left join checkpoint on true`,
)

/** Reads the merchant's balance in this mode: `available` and `pending` are sums over the ledger, `cached...` come from the head (spec 2.7). */
export async function readBalance(db: Database, merchantId: number, mode: Mode): Promise<LedgerBalance> {
  const [row] = await db.query(BALANCE, [merchantId, mode])
  return row ?? { available: 0, pending: 0, cachedAvailable: 0, cachedPending: 0 }
}
