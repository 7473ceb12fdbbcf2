import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

const CLOSE_MONTH = statement(
  'close month',
  'update ledger_heads set closed_until = $3 where merchant_id = $1 and mode = $2 and closed_until < $3',
)

/**
 * From its commit on nothing is posted before `end` any more: it waits for postings under way, and later ones that took an
 * earlier time start again with a new one (openBook throws MonthClosed). A month that is closed already is left alone.
 */
export const closeMonth = (merchantId: number, mode: 'test' | 'live', end: Date): Call =>
  call(CLOSE_MONTH, merchantId, mode, end.toISOString())
