import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Mode } from '../platform/mode.ts'

const CLOSE_MONTH = statement(
  'close month',
  'update ledger_heads set closed_until = $3 where merchant_id = $1 and mode = $2 and closed_until < $3',
)
// The month before this one stays closed: its statement has been shown.
const REOPEN_LEDGERS = statement<LedgerClosedAhead>(
  'open months again',
  `with ahead as (select merchant_id, mode, closed_until from ledger_heads where closed_until > $1
     order by merchant_id, mode limit $3 for no key update)
   update ledger_heads h set closed_until = $2 from ahead a where h.merchant_id = a.merchant_id and h.mode = a.mode
   returning h.merchant_id as "merchantId", h.mode, a.closed_until as until`,
)

/** A ledger that was closed until a time in the future, so that nothing could be posted in it until then. */
export type LedgerClosedAhead = { merchantId: number; mode: Mode; until: Date }

/** Reopens at most `limit` ledgers that are closed beyond a time; the months before the present one stay closed. */
export const reopenLedgers = (input: { beyond: Date; month: Date; limit: number }): Call<LedgerClosedAhead> =>
  call(REOPEN_LEDGERS, input.beyond.toISOString(), input.month.toISOString(), input.limit)

/**
 * Closes a ledger until `end`: after the commit nothing can be posted before it. Waits for postings under way; later ones with an
 * earlier time run again with a new one (openBook throws MonthClosed). A ledger that is closed further is not changed.
 */
export const closeMonth = (merchantId: number, mode: Mode, end: Date): Call =>
  call(CLOSE_MONTH, merchantId, mode, end.toISOString())
