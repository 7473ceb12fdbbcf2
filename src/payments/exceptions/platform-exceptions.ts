import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { toColumns } from '../../platform/db/columns.ts'
import { type Call, call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { makeLineClaim } from './claim.ts'
import { addExceptionNote } from './notes.ts'
import type { OnePersonResolution } from './resolution.ts'
import { alreadyResolved } from './resolve-exception.ts'

/** A difference that belongs to no merchant: the operator's balance, or money that matches no merchant. */
export type PlatformBreak = {
  kind: 'float_drift' | 'rail_only' | 'ledger_breach'
  subject: string
  details: Record<string, unknown>
}
export type PlatformException = PlatformBreak & {
  id: string
  severity: string
  owner: string | null
  seenCount: number
  openedAt: Date
  lastSeenAt: Date
  closedAt: Date | null
  note: string | null
  resolvedBy: string | null
  resolution: OnePersonResolution | null
}

export const PLATFORM_COLUMNS = `id, kind, severity, subject, details, owner, seen_count as "seenCount", opened_at as "openedAt",
  last_seen_at as "lastSeenAt", closed_at as "closedAt", note, resolved_by as "resolvedBy", resolution`
// Evidence beyond this many different claims about one subject is not stored, so later claims are not told apart.
const MAX_EVIDENCE = 100
// Once a person has resolved an exception, it opens again only on evidence that it did not have (rails.md 5.4).
const OPEN = statement<{ opened: boolean }>(
  'open platform exceptions',
  `insert into platform_exceptions as e (id, kind, severity, subject, details, opened_at, last_seen_at, evidence)
   select distinct on (f.kind, f.subject) f.id, f.kind, 'critical', f.subject, f.details::jsonb, $6::timestamptz, $6, array[f.evidence]
   from (select n.*, md5((n.claim::jsonb)::text) as evidence
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as n (id, kind, subject, details, claim)) f
   where not exists (select from platform_exceptions o where o.kind = f.kind and o.subject = f.subject and o.closed_at is not null
     and o.resolved_by is distinct from 'agreement' and f.evidence = any(o.evidence) and o.agreed_at is null)
   on conflict (kind, subject) where closed_at is null
     do update set seen_count = e.seen_count + 1, last_seen_at = excluded.opened_at, agreed_at = null,
       evidence = case when excluded.evidence <@ e.evidence or cardinality(e.evidence) >= ${MAX_EVIDENCE} then e.evidence
         else e.evidence || excluded.evidence end
   returning e.seen_count = 1 as opened`,
)
const LIST = statement<PlatformException>(
  'list platform exceptions',
  `select ${PLATFORM_COLUMNS} from platform_exceptions where closed_at is null order by opened_at, id`,
)
const FIND = statement<PlatformException>(
  'find platform exception',
  `select ${PLATFORM_COLUMNS} from platform_exceptions where id = $1`,
)
const CLOSE = statement<PlatformException>(
  'close platform exception',
  `update platform_exceptions set closed_at = $2, note = $3, resolved_by = $4, resolution = $5 where id = $1 and closed_at is null
   returning ${PLATFORM_COLUMNS}`,
)
const ASSIGN = statement<PlatformException>(
  'assign platform exception',
  `update platform_exceptions set owner = $2 where id = $1 and closed_at is null returning ${PLATFORM_COLUMNS}`,
)
const EXISTS = statement('platform exception', 'select 1 from platform_exceptions where id = $1')
// Two agreements in a row, at least an hour apart, close it. An agreement is stored on what a person has closed too: after it, the same
// claim is new evidence (rails.md 5.4).
const AGREED_AN_HOUR_AGO = `e.closed_at is null and $3::timestamptz - e.agreed_at >= interval '1 hour'`
const AGREE = statement(
  'agree on platform exception',
  `update platform_exceptions e set agreed_at = coalesce(e.agreed_at, $3),
     closed_at = case when ${AGREED_AN_HOUR_AGO} then $3 else e.closed_at end,
     note = case when ${AGREED_AN_HOUR_AGO} then 'later looks agreed' else e.note end,
     resolved_by = case when ${AGREED_AN_HOUR_AGO} then 'agreement' else e.resolved_by end
   where e.kind = $1 and e.subject = $2
     and (e.closed_at is null or (e.resolved_by is distinct from 'agreement' and e.agreed_at is null))`,
)

/** The tag of ids that belong to no merchant. It can be no merchant's, because their tags have five characters. */
const NO_MERCHANT_TAG = 'platform'
export const isPlatformException = (id: string): boolean => id.startsWith(`exc_${NO_MERCHANT_TAG}`)

/** Opens each, or raises its count while it is open. Returns a row for each that is open now, with `opened` true where it is new. */
export function openOnPlatform(found: readonly PlatformBreak[], at: Date): Call<{ opened: boolean }> {
  const each = toColumns(
    found.map(({ kind, subject, details }) => ({
      ...{ id: newId('exc_', NO_MERCHANT_TAG), kind, subject, details: JSON.stringify(details) },
      claim: JSON.stringify(kind === 'rail_only' ? makeLineClaim(details) : details),
    })),
  )
  return call(OPEN, ...each.texts('id', 'kind', 'subject', 'details', 'claim'), at.toISOString())
}

/** Opens one exception of the platform, as `openOnPlatform` does. */
export const openPlatformException = (found: PlatformBreak, at: Date): Call<{ opened: boolean }> =>
  openOnPlatform([found], at)

/** Agrees that a later check found nothing wrong; the second agreement closes the exception. */
export const agreeOnPlatform = ({ kind, subject }: Omit<PlatformBreak, 'details'>, at: Date): Call =>
  call(AGREE, kind, subject, at.toISOString())

export const readOpenPlatformExceptions = (directory: Database): Promise<PlatformException[]> => directory.query(LIST)

export async function findPlatformException(directory: Database, id: string): Promise<PlatformException | null> {
  const [exception] = await directory.query(FIND, [id])
  return exception ?? null
}

type DirectoryClock = { directory: Database; clock: { now(): Date } }

/** Resolves an exception of the platform with a person's note. Throws 404, or 400 when it was resolved. */
export function resolvePlatformException(
  access: DirectoryClock,
  actor: Actor,
  { id, note, resolution }: { id: string; note: string; resolution: OnePersonResolution },
): Promise<PlatformException> {
  allow(actor, 'exception.resolve')
  const closing = call(CLOSE, id, access.clock.now().toISOString(), note, actorName(actor), resolution)
  const after = { resolution, note }
  return changePlatformException(access, actor, {
    id,
    action: 'exception.resolve',
    after,
    changing: closing,
    also: () => [],
  })
}

/** Sets who looks after an open exception of the platform. Throws 404, or 400 when it was resolved. */
export function assignPlatformException(
  access: DirectoryClock,
  actor: Actor,
  { id, owner }: { id: string; owner: string },
): Promise<PlatformException> {
  allow(actor, 'exception.note')
  const taken = { merchantId: 0, id, by: actorName(actor), kind: 'taken', text: owner } as const
  return changePlatformException(access, actor, {
    ...{ id, action: 'exception.note', after: { owner }, changing: call(ASSIGN, id, owner) },
    also: (at) => [addExceptionNote({ ...taken, at })],
  })
}

type PlatformExceptionChange = {
  id: string
  action: 'exception.resolve' | 'exception.note'
  after: object
  changing: Call<PlatformException>
  also(at: Date): Call[]
}

async function changePlatformException(
  { directory, clock }: DirectoryClock,
  actor: Actor,
  { id, action, after, changing, also }: PlatformExceptionChange,
): Promise<PlatformException> {
  return directory.transaction(async (tx) => {
    const [[known], [changed]] = await tx.send(call(EXISTS, id), changing)
    if (!known) throw notFound('exception')
    if (!changed) throw alreadyResolved()
    const at = clock.now()
    const row = auditRow({ actor, action, at, merchantId: null, subject: id, after: { ...after } })
    return { value: changed, last: [...also(at), row] }
  })
}
