import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { MAX_DELIVERY_ATTEMPTS } from '../delivery.ts'
import { type AddressState, firstAddressId, type WebhookAddress } from './address.ts'
import { requireActiveKey, turnAddress } from './change-addresses.ts'
import { getAddress } from './find-addresses.ts'

const SWITCH = statement(
  'switch webhook address',
  `update webhook_addresses set state = $3, state_since = $4, waits = true, failing_since = null, told = 0, told_at = null
   where merchant_id = $1 and id = $2`,
)
const retryStatement = (which: string, condition: string, order: string) =>
  statement<{ id: string }>(
    `retry ${which} deliveries of address`,
    `update address_deliveries d set status = 'pending', attempts = d.attempts % ${MAX_DELIVERY_ATTEMPTS}, last_response_code = null,
       last_error = null, next_attempt_at = least(d.created_at, $4::timestamptz)
     from (select f.event_id from address_deliveries f where f.merchant_id = $1 and f.address_id = $2 and ${condition}
       order by ${order} limit $3 for no key update skip locked) n
     where d.merchant_id = $1 and d.address_id = $2 and d.event_id = n.event_id returning d.event_id as id`,
  )
// What was given up after its eighth attempt starts again with the first; what waits for a later attempt does not wait any longer.
const RETRIES = [
  retryStatement('failed', `f.status = 'failed' and $4::timestamptz is not null`, 'f.created_at'),
  retryStatement('scheduled', 'f.next_attempt_at > $4::timestamptz and f.lease_until is null', 'f.next_attempt_at'),
]
// Rows of one statement, so that it stays well within the time-out and locks its rows only briefly.
const ROWS_PER_STEP = 500
const MAX_RETRIED = 10_000

/** Lets the events of an address wait. Paused already: unchanged. Throws 404. */
export const pauseAddress = (app: App, caller: Caller, id: string): Promise<WebhookAddress> =>
  switchAddress(app, caller, { id, state: 'paused' })

/**
 * Switches an address on again: what waits for it and what it has failed to take is sent, oldest first. Active already: what failed is
 * sent again all the same. Throws 404.
 */
export async function resumeAddress(app: App, caller: Caller, id: string): Promise<WebhookAddress> {
  allow(caller, 'webhook.switch', caller.merchantId)
  const address = await switchAddress(app, caller, { id, state: 'active' })
  for (const retry of RETRIES) await retryDeliveries(app, { merchantId: caller.merchantId, id }, retry)
  app.nudge('tend-addresses')
  app.nudge('send-deliveries')
  return address
}

async function retryDeliveries(
  app: App,
  { merchantId, id }: { merchantId: number; id: string },
  retry: (typeof RETRIES)[number],
): Promise<void> {
  const values = [merchantId, id, ROWS_PER_STEP, app.clock.now().toISOString()]
  for (let retried = 0; retried < MAX_RETRIED; ) {
    const step = await app.db.query(retry, values)
    retried += step.length
    if (step.length < ROWS_PER_STEP) return
  }
}

async function switchAddress(
  app: App,
  caller: Caller,
  { id, state }: { id: string; state: AddressState },
): Promise<WebhookAddress> {
  const { merchantId, mode } = caller
  allow(caller, 'webhook.switch', merchantId)
  await requireActiveKey(app, caller)
  if (id === firstAddressId(caller.tag))
    throw domainRefusal('bad_request', 'the first address cannot be paused: remove it, and its events wait for another')
  await turnAddress(app, caller, id, ({ at, before }) => {
    if (before.state === state) return []
    const facts = { before: { state: before.state }, after: { state } }
    const row = auditRow({ actor: caller, action: 'webhook.switch', at, merchantId, mode, subject: id, ...facts })
    return [call(SWITCH, merchantId, id, state, at.toISOString()), row]
  })
  return getAddress(app, caller, id)
}
