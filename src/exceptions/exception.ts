import { lockHeads, pauseHead } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId } from '../platform/ids.ts'

type Mode = 'test' | 'live'

/** What an exception is about, and how grave it is: a critical one pauses that merchant's payouts in that mode (G69). */
const SEVERITIES = {
  late_contradiction: 'critical',
  mismatch: 'critical',
  ours_only: 'critical',
  rail_only: 'critical',
  doubled_by_rail: 'critical',
  ledger_breach: 'critical',
  contradictory_answer: 'major',
  unresolved: 'major',
  never_arrived: 'major',
} as const
export type ExceptionKind = keyof typeof SEVERITIES

/** A break between our books and what somebody else says (rails.md 5.2). `subject` is the public id of what it is about. */
export type Break = {
  merchantId: number
  tag: string
  mode: Mode
  kind: ExceptionKind
  subject: string
  details: Record<string, unknown>
}

// Once resolved, it opens again only on evidence that it did not have (rails.md 5.4).
const OPEN = statement(
  'open exception',
  `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at, digest)
   select $1::bigint, $2, $3::mode, $4, $8, $5, $6::jsonb, $7::timestamptz, $7, md5(($6::jsonb)::text)
   where not exists (select from exceptions e where e.merchant_id = $1 and e.subject = $5 and e.kind = $4
     and e.closed_at is not null and e.digest = md5(($6::jsonb)::text))
   on conflict (merchant_id, subject, kind) where closed_at is null
     do update set seen_count = exceptions.seen_count + 1, last_seen_at = excluded.opened_at, agreed_at = null`,
)
/**
 * Opens an exception, once while it stays open: a repeat raises its count. A critical one pauses the account's payouts in that
 * mode. Locks its head first.
 */
export function openException(found: Break, at: Date): Call[] {
  const id = newId('exc_', found.tag)
  const severity = SEVERITIES[found.kind]
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
      severity,
    ),
    ...(severity === 'critical' ? [pauseHead(found.merchantId, found.mode)] : []),
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
