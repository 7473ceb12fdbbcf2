import type { Caller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { requireActive } from '../merchants/merchant.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { badRequest } from '../platform/refusal.ts'

/** How many were made due, and whether there are more than one call takes. */
export type Resent = { resent: number; more: boolean }

// One statement stays well within the time-out, and its rows are not locked for long.
const AT_ONCE = 500
const MOST = 10_000

// Given up, or waiting for a later attempt; one that is under way is left alone. One that was given up, after
// its eighth attempt, begins the ladder anew.
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
 * Makes every delivery since this instant due now that has failed and not arrived: to the current address, the same bytes. Sent
 * again it finds only what has failed since. Refuses an instant that is not past.
 */
export async function resendFailed(app: App, caller: Caller, since: Date): Promise<Resent> {
  allow(caller, 'webhook.resend-failed')
  if (since >= app.clock.now()) throw badRequest('since must be in the past')
  await requireActive(app, caller.merchantId)
  let resent = 0
  for (const which of ['failed', 'waiting'] as const)
    while (resent < MOST) {
      const step = await resendStep(app, caller, { since, which, most: Math.min(AT_ONCE, MOST - resent) })
      if (step === 0) break
      resent += step
    }
  if (resent > 0) app.nudge('send-deliveries')
  return { resent, more: resent === MOST }
}

async function resendStep(
  app: App,
  actor: Caller,
  { since, which, most }: { since: Date; which: 'failed' | 'waiting'; most: number },
): Promise<number> {
  const { merchantId, mode } = actor
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const place = [merchantId, mode, since.toISOString(), at.toISOString()]
    const [made] = await tx.send(call(RESEND, ...place, which, most))
    if (made.length === 0) return { value: 0 }
    const after = { since: since.toISOString(), count: made.length }
    const act = { actor, action: 'webhook.resend-failed', at, merchantId, mode, after } as const
    return { value: made.length, last: [auditRow(act)] }
  })
}
