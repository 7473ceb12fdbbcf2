import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { lockHeads, pauseHeadAgain } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { domainRefusal, notFound } from '../platform/refusal.ts'

/** An exception as operators see it. */
export type OpenedException = {
  merchantId: number
  id: string
  mode: 'test' | 'live'
  kind: string
  severity: string
  subject: string
  details: Record<string, unknown>
  openedAt: Date
  closedAt: Date | null
  note: string | null
}

const COLUMNS = `e.merchant_id as "merchantId", e.id, e.mode, e.kind, e.severity, e.subject, e.details,
  e.opened_at as "openedAt", e.closed_at as "closedAt", e.note`
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
  'update exceptions set closed_at = $3, note = $4 where merchant_id = $1 and id = $2',
)

/** The open exceptions of one merchant, or of the whole cell (null), oldest first. */
export const openExceptions = (app: App, merchantId: number | null): Promise<OpenedException[]> =>
  app.db.query(LIST, [merchantId])

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
    const close = call(CLOSE, merchantId, id, closedAt.toISOString(), note)
    const act = { actor, action: 'exception.resolve', at: closedAt, merchantId, mode: found.mode } as const
    const row = auditRow({ ...act, subject: id, before: { kind: found.kind }, after: { note } })
    const resume = pauseHeadAgain(merchantId, found.mode)
    return { value: { ...found, closedAt, note }, last: [close, resume, row] }
  })
}
