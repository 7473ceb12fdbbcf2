import { type Head, lockHeads, pauseHeads } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
import { columnsOf } from '../platform/db/columns.ts'
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
const OPEN = statement<{ opened: boolean }>(
  'open exceptions',
  `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at, digest)
   select distinct on (f.merchant_id, f.subject, f.kind) f.merchant_id, f.id, f.mode, f.kind, f.severity, f.subject, f.details::jsonb, $8::timestamptz, $8, md5((f.details::jsonb)::text)
   from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::text[], $6::text[], $7::text[])
     as f (merchant_id, id, mode, kind, severity, subject, details)
   where not exists (select from exceptions e where e.merchant_id = f.merchant_id and e.subject = f.subject and e.kind = f.kind
     and e.closed_at is not null and e.digest = md5((f.details::jsonb)::text))
   on conflict (merchant_id, subject, kind) where closed_at is null
     do update set seen_count = exceptions.seen_count + 1, last_seen_at = excluded.opened_at, agreed_at = null
   returning exceptions.seen_count = 1 as opened`,
)

/**
 * Opens exceptions, each once while it stays open: a repeat raises its count. A critical one pauses the account's payouts in that
 * mode. Locks the heads first. The second call answers with `opened`, a row for each that is open now.
 */
export function openExceptions(
  found: readonly Break[],
  at: Date,
): [Call<Head>, Call<{ opened: boolean }>, ...Call[]] {
  const rows = found.map(({ tag, details, ...one }) => ({
    ...{ ...one, id: newId('exc_', tag), severity: SEVERITIES[one.kind], details: JSON.stringify(details) },
  }))
  const each = columnsOf(rows)
  const columns = [
    ...[...each.numbers('merchantId'), ...each.words('id'), ...each.modes('mode')],
    ...each.words('kind', 'severity', 'subject', 'details'),
  ]
  const paused = rows.filter(({ severity }) => severity === 'critical')
  return [
    lockHeads(found),
    call(OPEN, ...columns, at.toISOString()),
    ...(paused.length > 0 ? [pauseHeads(paused)] : []),
  ]
}

/** Opens one, as `openExceptions` does. */
export const openException = (found: Break, at: Date): Call[] => openExceptions([found], at)

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
