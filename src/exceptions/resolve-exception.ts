import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { lockHeads, pauseHeadAgain } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { domainRefusal, notFound } from '../platform/refusal.ts'

/** An exception as operators see it. */
export type OpenedException = {
  merchantId: number
  /** Its public id; null for one that is no merchant's. */
  merchant: string | null
  id: string
  mode: 'test' | 'live'
  kind: string
  severity: string
  subject: string
  details: Record<string, unknown>
  openedAt: Date
  /** How often it was found, and when last. */
  seenCount: number
  lastSeenAt: Date
  /** Who looks after it. */
  owner: string | null
  closedAt: Date | null
  note: string | null
  /** A person, or `agreement` when the next looks found nothing wrong. */
  resolvedBy: string | null
}

const COLUMNS = `e.merchant_id as "merchantId", (select m.public_id from merchants m where m.id = e.merchant_id) as merchant, e.id, e.mode, e.kind, e.severity, e.subject, e.details,
  e.opened_at as "openedAt", e.seen_count as "seenCount", coalesce(e.last_seen_at, e.opened_at) as "lastSeenAt", e.owner,
  e.closed_at as "closedAt", e.note, e.resolved_by as "resolvedBy"`
const LIST = statement<OpenedException>(
  'list open exceptions',
  `select ${COLUMNS} from exceptions e where e.closed_at is null and ($1::bigint is null or e.merchant_id = $1)
   order by e.opened_at, e.id`,
)
const MODE_OF = statement<{ mode: 'test' | 'live' }>(
  'mode of exception',
  'select mode from exceptions where merchant_id = $1 and id = $2',
)
const LOCK = statement<OpenedException>(
  'lock exception',
  `select ${COLUMNS} from exceptions e where e.merchant_id = $1 and e.id = $2 for no key update`,
)
const CLOSE = statement(
  'close exception',
  'update exceptions set closed_at = $3, note = $4, resolved_by = $5 where merchant_id = $1 and id = $2 and closed_at is null',
)

/** The open exceptions of one merchant, or of the whole cell (null), oldest first. */
export const openExceptions = (app: App, merchantId: number | null): Promise<OpenedException[]> =>
  app.db.query(LIST, [merchantId])

/** Closes an exception that pauses nothing, in the commit of what ends its cause. */
export const closeWithNote = (one: OpenedException): Call =>
  call(CLOSE, one.merchantId, one.id, one.closedAt?.toISOString() ?? null, one.note, one.resolvedBy)

const FIND = statement<OpenedException>(
  'find exception',
  `select ${COLUMNS} from exceptions e where e.merchant_id = $1 and e.id = $2`,
)

/** One exception of a merchant, or null. */
export async function findException(
  app: App,
  merchantId: number,
  id: string,
): Promise<OpenedException | null> {
  const [found] = await app.db.query(FIND, [merchantId, id])
  return found ?? null
}

/**
 * Closes an exception with a person's note. When no other critical one of that merchant and mode is open, the account's
 * payouts run again (G69). A second closing is refused.
 */
export async function resolveException(
  app: App,
  actor: Actor,
  { merchantId, id, note }: { merchantId: number; id: string; note: string },
): Promise<OpenedException> {
  allow(actor, 'exception.resolve', merchantId)
  return app.db.transaction(async (tx) => {
    const [[place]] = await tx.send(call(MODE_OF, merchantId, id))
    if (!place) throw notFound('exception')
    // The head is locked before the exception, here and where one is opened, so that the second of two sees what the first
    // has written.
    const [, [found]] = await tx.send(
      lockHeads([{ merchantId, mode: place.mode }]),
      call(LOCK, merchantId, id),
    )
    assert(found, 'an exception is never deleted')
    if (found.closedAt !== null) throw domainRefusal('conflict', 'this exception was already resolved')
    const closedAt = app.clock.now()
    const close = call(CLOSE, merchantId, id, closedAt.toISOString(), note, nameOf(actor))
    const act = { actor, action: 'exception.resolve', at: closedAt, merchantId, mode: found.mode } as const
    const row = auditRow({ ...act, subject: id, before: { kind: found.kind }, after: { note } })
    const resume = pauseHeadAgain(merchantId, found.mode)
    return { value: { ...found, closedAt, note, resolvedBy: nameOf(actor) }, last: [close, resume, row] }
  })
}

const ASSIGN = statement<OpenedException>(
  'assign exception',
  `update exceptions e set owner = $3 where e.merchant_id = $1 and e.id = $2 and e.closed_at is null returning ${COLUMNS}`,
)

/** Says who looks after an open exception. Throws 404, or 400 when it was resolved. */
export async function assignException(
  app: App,
  actor: Actor,
  { merchantId, id, owner }: { merchantId: number; id: string; owner: string },
): Promise<OpenedException> {
  allow(actor, 'exception.resolve', merchantId)
  return app.db.transaction(async (tx) => {
    const [[place], [assigned]] = await tx.send(
      call(MODE_OF, merchantId, id),
      call(ASSIGN, merchantId, id, owner),
    )
    if (!place) throw notFound('exception')
    if (!assigned) throw domainRefusal('conflict', 'this exception was already resolved')
    const act = {
      actor,
      action: 'exception.resolve',
      at: app.clock.now(),
      merchantId,
      mode: place.mode,
    } as const
    return { value: assigned, last: [auditRow({ ...act, subject: id, after: { owner } })] }
  })
}
