import { type LedgerHead, lockHeads, pauseHeads } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { toColumns } from '../../platform/db/columns.ts'
import { type Call, call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { newId } from '../../platform/text/ids.ts'
import { makeClaim } from './claim.ts'

/** A leg of reconciliation (rails.md 5.1). Any answer of an operator to a question belongs to the leg `references`. */
export type ExceptionLeg = 'internal' | 'references' | 'statement'

/**
 * The kinds of exceptions, with their severity (a critical one pauses that merchant's payouts in that mode, G69) and the leg that finds
 * them unless the finder names another.
 */
const KINDS = {
  late_contradiction: { severity: 'critical', leg: 'references' },
  mismatch: { severity: 'critical', leg: 'references' },
  ours_only: { severity: 'critical', leg: 'references' },
  rail_only: { severity: 'critical', leg: 'statement' },
  doubled_by_rail: { severity: 'critical', leg: 'statement' },
  ledger_breach: { severity: 'critical', leg: 'internal' },
  contradictory_answer: { severity: 'major', leg: 'references' },
  unresolved: { severity: 'major', leg: 'references' },
  never_arrived: { severity: 'major', leg: 'references' },
  other_number: { severity: 'major', leg: 'statement' },
} as const satisfies Record<string, { severity: 'critical' | 'major'; leg: ExceptionLeg }>
export type ExceptionKind = keyof typeof KINDS

/** A difference between our books and those of an operator (rails.md 5.2). `subject` is the public id of the object concerned. */
export type Break = {
  merchantId: number
  tag: string
  mode: Mode
  kind: ExceptionKind
  subject: string
  details: Record<string, unknown>
  leg?: ExceptionLeg
}

// Evidence beyond this many different claims about one movement is not stored, so later claims are not told apart.
const MAX_EVIDENCE = 100
const foundAgain = (leg: string) =>
  `seen_count = e.seen_count + 1, last_seen_at = $10, agreed = e.agreed - ${leg}, legs = case when e.legs is null or ${leg} = any(e.legs) then e.legs else array_append(e.legs, ${leg}) end`
// Once a person has resolved an exception, it opens again only on evidence that it did not have: another claim, or the same one after that
// leg has agreed in between. A breach of the books that persists is new evidence each time: two operators accept it, or it pauses again.
// A contradiction that two legs find as two kinds is one exception (rails.md 5.4).
const FOUND = `(select distinct on (merchant_id, subject, kind) f.*, md5((claim::jsonb)::text) as evidence
     from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       as f (merchant_id, id, mode, kind, severity, subject, details, leg, claim))`
const IS_OPEN_AS_ANOTHER_KIND = `e.merchant_id = f.merchant_id and e.subject = f.subject and e.kind <> f.kind and e.closed_at is null
       and f.evidence = any(e.evidence)`
// Sent before the statement that opens, with the same values. It changes nothing that the other looks at.
const TELL = statement(
  'exceptions of another kind are found again',
  `update exceptions e set ${foundAgain('f.leg')} from ${FOUND} f where ${IS_OPEN_AS_ANOTHER_KIND}`,
)
const OPEN = statement<{ opened: boolean }>(
  'open exceptions',
  `insert into exceptions as e
     (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at, digest, legs, evidence)
   select f.merchant_id, f.id, f.mode, f.kind, f.severity, f.subject, f.details::jsonb, $10::timestamptz, $10,
     md5((f.details::jsonb)::text), array[f.leg], array[f.evidence]
   from ${FOUND} f where not exists (select from exceptions e where ${IS_OPEN_AS_ANOTHER_KIND})
     and (f.kind = 'ledger_breach' or not exists (select from exceptions o where o.merchant_id = f.merchant_id and o.subject = f.subject and o.closed_at is not null
       and o.resolved_by is distinct from 'agreement' and f.evidence = any(o.evidence) and not o.agreed ? f.leg))
   on conflict (merchant_id, subject, kind) where closed_at is null do update set ${foundAgain('excluded.legs[1]')},
     details = excluded.details, digest = excluded.digest,
     evidence = case when excluded.evidence <@ e.evidence or cardinality(e.evidence) >= ${MAX_EVIDENCE} then e.evidence
       else e.evidence || excluded.evidence end
   returning e.seen_count = 1 as opened`,
)

type OpeningCalls = [Call<LedgerHead>, Call, Call<{ opened: boolean }>, ...Call[]]

/**
 * Opens exceptions, each once while it stays open: a repeat raises its count and replaces its details. A critical one pauses the
 * account's payouts in that mode. Locks the heads first. The third call returns a row for each that is open now under its kind, with
 * `opened` true where it is new.
 */
export function openExceptions(found: readonly Break[], at: Date): OpeningCalls {
  const rows = found.map(({ merchantId, tag, mode, kind, subject, details, leg = KINDS[kind].leg }) => ({
    ...{ merchantId, mode, kind, subject, leg, id: newId('exc_', tag), severity: KINDS[kind].severity },
    ...{ details: JSON.stringify(details), claim: JSON.stringify(makeClaim({ kind, details })) },
  }))
  const each = toColumns(rows)
  const columns = [
    ...[...each.numbers('merchantId'), ...each.texts('id'), ...each.modes('mode')],
    ...each.texts('kind', 'severity', 'subject', 'details', 'leg', 'claim'),
  ]
  const paused = rows.filter(({ severity }) => severity === 'critical')
  const values = [...columns, at.toISOString()]
  return [
    lockHeads(found),
    call(TELL, ...values),
    call(OPEN, ...values),
    ...(paused.length > 0 ? [pauseHeads(paused)] : []),
  ]
}

/** Opens one exception, as `openExceptions` does. */
export const openException = (found: Break, at: Date): OpeningCalls => openExceptions([found], at)

/** Opens one exception in a transaction of its own. Returns false where it is open already, or was resolved on the same evidence. */
export function openInOwnTransaction(
  db: Database,
  found: Break,
  { at, alongside = [] }: { at: Date; alongside?: readonly Call[] },
): Promise<boolean> {
  const [locking, telling, opening, ...pausing] = openException(found, at)
  return db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [, , [row]] = await tx.send(locking, telling, opening)
    return { value: row?.opened ?? false, last: [...pausing, ...alongside] }
  })
}

type ContradictedMovement = { merchantId: number; mode: Mode; id: string }

/** Opens the exception about a movement for which the operator now reports another final status than it has (contract.md 3 o). */
export function openContradiction(
  { merchantId, mode, id: subject }: ContradictedMovement,
  { tag, answer, at }: { tag: string | undefined; answer: { status: string }; at: Date },
): Call[] {
  assert(tag !== undefined, 'a movement has a merchant')
  const { status, ...more } = answer
  const details = { rail_said: status, ...more }
  return openException({ merchantId, tag, mode, kind: 'late_contradiction', subject, details }, at)
}
