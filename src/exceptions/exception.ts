import { lockHeads, pauseHead } from '../ledger/book.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId } from '../platform/ids.ts'

type Mode = 'test' | 'live'

/**
 * A contradiction between our books and an operator's answer. A critical one pauses that merchant's payouts in that mode
 * (G69).
 */
export type Break = {
  merchantId: number
  tag: string
  mode: Mode
  kind: 'late_contradiction' | 'rail_mismatch'
  subject: string
  details: Record<string, unknown>
}

const OPEN = statement(
  'open exception',
  `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at)
   values ($1, $2, $3, $4, 'critical', $5, $6, $7)
   on conflict (merchant_id, subject, kind) where closed_at is null do nothing`,
)
/** Opens a critical exception, once while it stays open, and pauses the account's payouts in that mode. Locks its head first. */
export function openException(found: Break, at: Date): Call[] {
  const id = newId('exc_', found.tag)
  return [
    lockHeads([{ merchantId: found.merchantId, mode: found.mode }]),
    call(
      OPEN,
      found.merchantId,
      id,
      found.mode,
      found.kind,
      found.subject,
      JSON.stringify(found.details),
      at.toISOString(),
    ),
    pauseHead(found.merchantId, found.mode),
  ]
}
