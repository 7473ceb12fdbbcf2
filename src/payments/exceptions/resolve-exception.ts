import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type LedgerHead, lockHeads, setPauseFromOpenExceptions } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import type { ExceptionLeg } from './exception.ts'
import { addExceptionNote } from './notes.ts'
import type { OnePersonResolution, Resolution } from './resolution.ts'

/** An exception of a merchant or of the platform, open or closed, as operators see it. */
export type OpenedException = {
  merchantId: number
  /** The merchant's public id; null for an exception of the platform. */
  merchant: string | null
  id: string
  mode: Mode
  kind: string
  severity: string
  subject: string
  details: Record<string, unknown>
  openedAt: Date
  /** The legs of reconciliation that found it and have not agreed since; null where that is not known. */
  foundBy: ExceptionLeg[] | null
  /** How often it was found, and the last time. */
  seenCount: number
  lastSeenAt: Date
  /** Who looks after it. */
  owner: string | null
  closedAt: Date | null
  note: string | null
  /** A person, or `agreement` when the next runs of reconciliation found nothing wrong. */
  resolvedBy: string | null
  /** Null where it was closed by agreement. */
  resolution: Resolution | null
}

export const EXCEPTION_COLUMNS = `e.merchant_id as "merchantId", (select m.public_id from merchants m where m.id = e.merchant_id) as merchant, e.id, e.mode, e.kind, e.severity, e.subject, e.details, e.legs as "foundBy",
  e.opened_at as "openedAt", e.seen_count as "seenCount", coalesce(e.last_seen_at, e.opened_at) as "lastSeenAt", e.owner,
  e.closed_at as "closedAt", e.note, e.resolved_by as "resolvedBy", e.resolution`
const LIST = statement<OpenedException>(
  'list open exceptions',
  `select ${EXCEPTION_COLUMNS} from exceptions e where e.closed_at is null and ($1::bigint is null or e.merchant_id = $1)
   order by e.opened_at, e.id`,
)
const FIND_MODE = statement<{ mode: Mode }>(
  'mode of exception',
  'select mode from exceptions where merchant_id = $1 and id = $2',
)
const LOCK = statement<OpenedException>(
  'lock exception',
  `select ${EXCEPTION_COLUMNS} from exceptions e where e.merchant_id = $1 and e.id = $2 for no key update`,
)
const CLOSE = statement(
  'close exception',
  'update exceptions set closed_at = $3, note = $4, resolved_by = $5, resolution = $6 where merchant_id = $1 and id = $2 and closed_at is null',
)

/** Reads the open exceptions of one merchant, or of the whole cell (null), oldest first. */
export const readOpenExceptions = (app: App, merchantId: number | null): Promise<OpenedException[]> =>
  app.db.query(LIST, [merchantId])

/** Closes an exception without touching the pause of its account. */
export const closeException = (openedException: OpenedException): Call =>
  call(
    CLOSE,
    openedException.merchantId,
    openedException.id,
    openedException.closedAt?.toISOString() ?? null,
    openedException.note,
    openedException.resolvedBy,
    openedException.resolution,
  )

const FIND = statement<OpenedException>(
  'find exception',
  `select ${EXCEPTION_COLUMNS} from exceptions e where e.merchant_id = $1 and e.id = $2`,
)

export async function findException(app: App, merchantId: number, id: string): Promise<OpenedException | null> {
  const [exception] = await app.db.query(FIND, [merchantId, id])
  return exception ?? null
}

/** Locks an exception with its head. The head comes first, here and where one is opened. Throws 404, 400 when resolved. */
export async function lockOpenException(
  tx: Tx,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<{ heads: LedgerHead[]; exception: OpenedException }> {
  const [[row]] = await tx.send(call(FIND_MODE, merchantId, id))
  if (!row) throw notFound('exception')
  const locking = [lockHeads([{ merchantId, mode: row.mode }]), call(LOCK, merchantId, id)] as const
  const [heads, [found]] = await tx.send(...locking)
  assert(found, 'an exception is never deleted')
  if (found.closedAt !== null) throw alreadyResolved()
  return { heads, exception: found }
}

/** Closes a locked exception. When no other critical one of that merchant and mode is open, the account's payouts run again (G69). */
export const closeLockedException = (closed: OpenedException): Call[] => [
  closeException(closed),
  setPauseFromOpenExceptions(closed.merchantId, closed.mode),
]

export const alreadyResolved = () => domainRefusal('conflict', 'this exception was already resolved')

/** Resolves an exception with a person's note. Throws 404, or 400 when it was resolved. */
export async function resolveException(
  app: App,
  actor: Actor,
  {
    merchantId,
    id,
    note,
    resolution,
  }: { merchantId: number; id: string; note: string; resolution: OnePersonResolution },
): Promise<OpenedException> {
  allow(actor, 'exception.resolve', merchantId)
  return app.db.transaction(async (tx) => {
    const { exception } = await lockOpenException(tx, { merchantId, id })
    const closedAt = app.clock.now()
    const closed = { ...exception, closedAt, note, resolution, resolvedBy: actorName(actor) }
    const act = {
      actor,
      action: 'exception.resolve',
      at: closedAt,
      merchantId,
      mode: exception.mode,
    } as const
    const row = auditRow({
      ...act,
      subject: id,
      before: { kind: exception.kind },
      after: { resolution, note },
    })
    return { value: closed, last: [...closeLockedException(closed), row] }
  })
}

const ASSIGN = statement<OpenedException>(
  'assign exception',
  `update exceptions e set owner = $3 where e.merchant_id = $1 and e.id = $2 and e.closed_at is null returning ${EXCEPTION_COLUMNS}`,
)

/** Sets who looks after an open exception. Throws 404, or 400 when it was resolved. */
export async function assignException(
  app: App,
  actor: Actor,
  { merchantId, id, owner }: { merchantId: number; id: string; owner: string },
): Promise<OpenedException> {
  allow(actor, 'exception.note', merchantId)
  return app.db.transaction(async (tx) => {
    const [[found], [assigned]] = await tx.send(call(FIND_MODE, merchantId, id), call(ASSIGN, merchantId, id, owner))
    if (!found) throw notFound('exception')
    if (!assigned) throw alreadyResolved()
    const at = app.clock.now()
    const act = { actor, action: 'exception.note', at, merchantId, mode: found.mode } as const
    const taken = { merchantId, id, at, by: actorName(actor), kind: 'taken', text: owner } as const
    return {
      value: assigned,
      last: [addExceptionNote(taken), auditRow({ ...act, subject: id })],
    }
  })
}
