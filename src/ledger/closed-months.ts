import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

const CLOSE_MONTH = statement(
  'close month',
  'update ledger_heads set closed_until = $3 where merchant_id = $1 and mode = $2 and closed_until < $3',
)

/**
 * After its commit nothing can be posted before `end`. It waits for postings under way; later ones with an earlier time
 * start again with a new one (openBook throws MonthClosed). A closed month is not changed.
 */
export const closeMonth = (merchantId: number, mode: 'test' | 'live', end: Date): Call =>
  call(CLOSE_MONTH, merchantId, mode, end.toISOString())
