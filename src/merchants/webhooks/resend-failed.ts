import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { requireActive } from '../account/merchant.ts'

/** How many deliveries were made due; `more` where one call takes no more of them. */
type ResendResult = { resent: number; more: boolean }

// Rows of one statement, so that it stays well within the time-out and locks its rows only briefly.
const ROWS_PER_STEP = 500
const MAX_RESENT_PER_CALL = 10_000

// Deliveries that were given up, or that wait for a later attempt; one under way is left alone. A delivery that was given up after its
// eighth attempt starts again with the first attempt.
const RESEND = statement<{ id: string }>(
  'resend failed deliveries',
  `with failed as (
     select merchant_id, event_id from deliveries
     where merchant_id = $1 and mode = $2 and created_at >= $3 and status = 'failed' and $5 = 'failed'
     order by created_at, event_id limit $6 for no key update skip locked),
   waiting as (
     select merchant_id, event_id from deliveries
     where merchant_id = $1 and mode = $2 and created_at >= $3 and status = 'pending' and attempts > 0
       and next_attempt_at > $4 and lease_until is null and $5 = 'waiting'
     order by next_attempt_at limit $6 for no key update skip locked)
   update deliveries d set status = 'pending', attempts = d.attempts % 8, last_response_code = null, last_error = null,
     next_attempt_at = case when m.webhook_url is not null then $4::timestamptz end, url = m.webhook_url
   from (select * from failed union all select * from waiting) n, merchants m
   where d.merchant_id = n.merchant_id and d.event_id = n.event_id and m.id = d.merchant_id
   returning d.event_id as id`,
)

/**
 * Makes every delivery created since this instant that has failed due now: the same bytes, to the current address. A second call finds
 * only what has failed since the first. Throws 400 for an instant that is not past.
 */
export async function resendFailed(app: App, caller: Caller, since: Date): Promise<ResendResult> {
  allow(caller, 'webhook.resend-failed')
  if (since >= app.clock.now()) throw badRequest('since must be in the past', { field: 'since' })
  await requireActive(app, caller.merchantId)
  let resent = 0
  for (const which of ['failed', 'waiting'] as const)
    while (resent < MAX_RESENT_PER_CALL) {
      const step = await resendStep(app, caller, {
        since,
        which,
        most: Math.min(ROWS_PER_STEP, MAX_RESENT_PER_CALL - resent),
      })
      if (step === 0) break
      resent += step
    }
  if (resent > 0) app.nudge('send-deliveries')
  return { resent, more: resent === MAX_RESENT_PER_CALL }
}

async function resendStep(
  app: App,
  actor: Caller,
  { since, which, most }: { since: Date; which: 'failed' | 'waiting'; most: number },
): Promise<number> {
  const { merchantId, mode } = actor
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const values = [merchantId, mode, since.toISOString(), at.toISOString()]
    const [resent] = await tx.send(call(RESEND, ...values, which, most))
    if (resent.length === 0) return { value: 0 }
    const after = { since: since.toISOString(), count: resent.length }
    const act = { actor, action: 'webhook.resend-failed', at, merchantId, mode, after } as const
    return { value: resent.length, last: [auditRow(act)] }
  })
}
