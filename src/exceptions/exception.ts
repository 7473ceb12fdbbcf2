import { lockHeads, pauseHead } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
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

type Contradicted = { merchantId: number; mode: Mode; id: string }

/** Opens the exception about a movement of which the operator now says another end than it has (contract.md 3 o). */
export function openContradiction(
  { merchantId, mode, id: subject }: Contradicted,
  { tag, said, at }: { tag: string | undefined; said: object; at: Date },
): Call[] {
  assert(tag !== undefined, 'a movement has a merchant')
  const details = { rail_said: said }
  return openException({ merchantId, tag, mode, kind: 'late_contradiction', subject, details }, at)
}
