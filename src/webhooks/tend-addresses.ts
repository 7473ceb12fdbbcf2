import type { App } from '../app.ts'
import { markAddressSettled } from '../merchants/set-merchant.ts'
import { statement } from '../platform/db/statement.ts'

// Longer than any transaction that stores an event can live: until then an event may have missed the change.
const SETTLED_AFTER_MS = 300_000

const CHANGED = statement<{ id: number; hasAddress: boolean; changedAt: Date }>(
  'merchants whose address changed',
  `select id, webhook_url is not null as "hasAddress", webhook_changed_at as "changedAt" from merchants
   where webhook_changed_at is not null`,
)
const UNPARK = statement<{ id: string }>(
  'unpark deliveries with address',
  `update deliveries d set next_attempt_at = d.created_at
   where d.merchant_id = $1 and d.status = 'pending' and d.next_attempt_at is null
     and exists (select 1 from merchants m where m.id = $1 and m.webhook_url is not null) returning d.event_id as id`,
)
const PARK = statement<{ id: string }>(
  'park deliveries without address',
  `update deliveries d set next_attempt_at = null, lease_until = null, lease_token = null, url = null
   where d.merchant_id = $1 and d.next_attempt_at is not null and d.lease_until is null
     and exists (select 1 from merchants m where m.id = $1 and m.webhook_url is null) returning d.event_id as id`,
)

/**
 * Follows changes of webhook addresses: with one, what waited becomes due in the order in which it came to be; without, what
 * was due waits (G19b). A merchant stays marked for a while, because an event may be stored while the address changes.
 */
export async function tendAddresses(app: App): Promise<number> {
  let tended = 0
  for (const { id, hasAddress, changedAt } of await app.db.query(CHANGED)) {
    tended += (await app.db.query(hasAddress ? UNPARK : PARK, [id])).length
    if (app.clock.nowMs() - changedAt.getTime() > SETTLED_AFTER_MS)
      await markAddressSettled(app, id, changedAt)
  }
  if (tended > 0) app.nudge('send-deliveries')
  return tended
}
