import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import type { Merchant } from './merchant.ts'

/** How long an operator may view a merchant's pages after giving a reason. */
const VIEW_MS = 30 * 60_000
const MAX_REASON_CHARACTERS = 500
const LISTED_FOR_MS = 90 * 24 * 3_600_000
const MAX_VIEWS_LISTED = 20

const BEGIN_VIEW = statement(
  'begin support view',
  `insert into support_views (merchant_id, person_id, session_id, reason, began_at, ends_at) values ($1, $2, $3, $4, $5, $6)`,
)
const FIND_OPEN = statement<{ endsAt: Date }>(
  'open support view',
  `select ends_at as "endsAt" from support_views where session_id = $1 and merchant_id = $2 and ends_at > $3
   order by ends_at desc limit 1`,
)
const LIST_VIEWS = statement<{ beganAt: Date }>(
  'support views of merchant',
  `select began_at as "beganAt" from (select began_at, id from support_views where merchant_id = $1 order by id desc limit $2) v
   where began_at > $3 order by id desc`,
)

type DirectoryClock = Pick<Gateway, 'directory' | 'clock'>

/**
 * Lets an operator view the pages of a merchant for half an hour, in this session. A reason is required; the merchant is shown that
 * our support viewed its pages, and when. Throws Refusal.
 */
export async function beginSupportView(
  { directory, clock }: DirectoryClock,
  actor: StaffCaller,
  { merchant, reason }: { merchant: Pick<Merchant, 'id' | 'publicId'>; reason: string },
): Promise<void> {
  allow(actor, 'merchant.view-as', merchant.id)
  if (reason.trim() === '' || reason.length > MAX_REASON_CHARACTERS)
    throw invalidRequest(`reason must have 1 to ${MAX_REASON_CHARACTERS} characters`, 'reason')
  const at = clock.now()
  const times = [at.toISOString(), addMs(at, VIEW_MS).toISOString()]
  const act = { actor, action: 'merchant.view-as', at, merchantId: merchant.id } as const
  await directory.transaction(async (tx) => {
    await tx.send(call(BEGIN_VIEW, merchant.id, actor.personId, actor.sessionId, reason, ...times))
    return { value: null, last: [auditRow({ ...act, subject: merchant.publicId, after: { reason } })] }
  })
}

/** Finds until when this session may view the merchant's pages; null when it may not. */
export async function findSupportViewEnd(
  { directory, clock }: DirectoryClock,
  { sessionId, merchantId }: { sessionId: string; merchantId: number },
): Promise<Date | null> {
  const [open] = await directory.query(FIND_OPEN, [sessionId, merchantId, clock.now().toISOString()])
  return open?.endsAt ?? null
}

/** Lists when our support viewed the pages of a merchant, never who did: the newest twenty of the last 90 days. */
export async function listSupportViews({ directory, clock }: DirectoryClock, merchantId: number): Promise<Date[]> {
  const since = addMs(clock.now(), -LISTED_FOR_MS).toISOString()
  const rows = await directory.query(LIST_VIEWS, [merchantId, MAX_VIEWS_LISTED, since])
  return rows.map(({ beganAt }) => beganAt)
}
