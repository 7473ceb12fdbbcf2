import type { Actor, Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { DISPUTE_COLUMNS, type Dispute, type DisputeState, LOCK_DISPUTE } from './dispute.ts'

const ANSWERS_OF_ROW = 'select 1 from dispute_answers a where a.merchant_id = d.merchant_id and a.dispute_id = d.id'
const LIST_DISPUTES = statement<Dispute>(
  'list disputes',
  `select ${DISPUTE_COLUMNS} from disputes d
   where d.merchant_id = $1 and ($2::mode is null or d.mode = $2) and case $3::text
     when 'unclosed' then d.closed_at is null
     when 'closed' then d.closed_at is not null
     when 'open' then d.closed_at is null and not exists (${ANSWERS_OF_ROW})
     when 'answered' then d.closed_at is null and exists (${ANSWERS_OF_ROW})
     else true end
   order by d.opened_at desc, d.id desc limit $4`,
)
const DISPUTE_BY_ID = statement<Dispute>(
  'dispute by id',
  `select ${DISPUTE_COLUMNS} from disputes d where d.merchant_id = $1 and d.id = $2 and d.mode = $3`,
)
const CLOSE_DISPUTE = statement(
  'close dispute',
  'update disputes set closed_at = $3 where merchant_id = $1 and id = $2',
)

/** How many reports `listDisputes` returns unless the caller gives a `limit`. */
export const DEFAULT_DISPUTES_LISTED = 200

/** Returns one report in the caller's mode. Throws 404 `dispute not found`. */
export async function getDispute(
  app: App,
  { merchantId, tag, mode }: Pick<Caller, 'merchantId' | 'tag' | 'mode'>,
  id: string,
): Promise<Dispute> {
  const [dispute] = parseTag('dsp_', id) === tag ? await app.db.query(DISPUTE_BY_ID, [merchantId, id, mode]) : []
  if (!dispute) throw notFound('dispute')
  return dispute
}

/** Lists the reports on a merchant's payments, newest first. `mode` and `state` filter them; null is all. */
export const listDisputes = (
  app: App,
  merchantId: number,
  {
    mode,
    state,
    limit = DEFAULT_DISPUTES_LISTED,
  }: { mode: 'test' | 'live' | null; state: DisputeState | 'unclosed' | null; limit?: number },
): Promise<Dispute[]> => app.db.query(LIST_DISPUTES, [merchantId, mode, state, limit])

/**
 * Closes a dispute. One that is closed already does not change; `closed` is true only if this call closed it. The customer
 * may then report that charge again. Throws 404 `dispute not found`.
 */
export function closeDispute(
  app: App,
  actor: Actor,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<{ dispute: Dispute; closed: boolean }> {
  allow(actor, 'dispute.close', merchantId)
  return app.db.transaction<{ dispute: Dispute; closed: boolean }>(async (tx) => {
    const [[dispute]] = await tx.send(call(LOCK_DISPUTE, merchantId, id))
    if (!dispute) throw notFound('dispute')
    if (dispute.closedAt !== null) return { value: { dispute, closed: false } }
    // It may have been opened on a machine whose clock was ahead.
    const closedAt = new Date(Math.max(app.clock.nowMs(), dispute.openedAt.getTime()))
    const close = call(CLOSE_DISPUTE, merchantId, id, closedAt.toISOString())
    const act = { actor, action: 'dispute.close', at: closedAt, merchantId, mode: dispute.mode } as const
    const row = auditRow({ ...act, subject: id, after: { charge: dispute.chargeId } })
    return { value: { dispute: { ...dispute, closedAt }, closed: true }, last: [close, row] }
  })
}

const DISPUTES_OF_CHARGE = statement<Dispute>(
  'disputes of charge',
  `select ${DISPUTE_COLUMNS} from disputes d where d.merchant_id = $1 and d.charge_id = $2 and d.mode = $3
   order by d.opened_at, d.id limit 20`,
)

/** What customers reported about one charge, oldest first; at most 20. */
export const listDisputesOfCharge = (app: App, { merchantId, mode }: Caller, chargeId: string): Promise<Dispute[]> =>
  app.db.query(DISPUTES_OF_CHARGE, [merchantId, chargeId, mode])
