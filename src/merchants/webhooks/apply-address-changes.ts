import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { markAddressSettled } from '../account/set-merchant.ts'
import { releaseWaiting } from './addresses/tend-addresses.ts'
import { isUnclaimed } from './claim-deliveries.ts'
import { IS_PARKED } from './delivery-indexes.ts'
import { EVENT_TYPES } from './events.ts'

// Longer than any transaction that stores an event. Until then a transaction that read the old address may still store one.
const SETTLED_AFTER_MS = 300_000

// Small enough for one step to end well within the statement time-out.
const DELIVERIES_PER_STEP = 1000

// Reads only merchants with work left; most of those that changed minutes ago have none.
const FIND_CHANGED = statement<AddressChange>(
  'merchants whose address changed',
  `select m.id, m.webhook_url is not null as "hasAddress", m.webhook_changed_at as "changedAt" from merchants m
   where m.webhook_changed_at is not null and (m.webhook_changed_at < $1
     or (m.webhook_url is not null and (select true from deliveries d where d.merchant_id = m.id
       and ${IS_PARKED} order by d.mode, d.event, d.created_at, d.event_id limit 1))
     or (m.webhook_url is null and (select true from deliveries d where d.merchant_id = m.id
       and d.next_attempt_at is not null and ${isUnclaimed('d', '$2')} order by d.next_attempt_at limit 1)))`,
)
// The index of parked deliveries has mode and event before the time, so the oldest are merged from one scan per mode and event.
const OLDEST_PARKED = `
  select oldest.created_at, oldest.event_id
  from unnest(enum_range(null::mode)) as m (mode) cross join unnest(array[${EVENT_TYPES.map((type) => `'${type}'`).join(', ')}]) as e (event)
    cross join lateral (select d.created_at, d.event_id from deliveries d
      where d.merchant_id = $1 and d.mode = m.mode and d.event = e.event and ${IS_PARKED}
      order by d.created_at, d.event_id limit $2) oldest
  order by oldest.created_at, oldest.event_id limit $2`
// Oldest first, so that later steps release later events.
const UNPARK = statement<{ id: string }>(
  'unpark deliveries with address',
  `update deliveries d set next_attempt_at = d.created_at
   where d.ctid = any(array(
       select p.ctid from (${OLDEST_PARKED}) o join deliveries p on p.merchant_id = $1 and p.event_id = o.event_id
       where p.status = 'pending' and p.next_attempt_at is null
       order by o.created_at, o.event_id for no key update of p))
     and exists (select 1 from merchants m where m.id = $1 and m.webhook_url is not null) returning d.event_id as id`,
)
// An expired claim counts as none: its process is gone, and without an address no process claims the delivery again.
const PARK = statement<{ id: string }>(
  'park deliveries without address',
  `update deliveries d set next_attempt_at = null, lease_until = null, lease_token = null, url = null
   where d.ctid = any(array(
       select ctid from deliveries d where merchant_id = $1 and next_attempt_at is not null and ${isUnclaimed('d', '$3')}
       order by next_attempt_at limit $2 for no key update))
     and exists (select 1 from merchants m where m.id = $1 and m.webhook_url is null) returning d.event_id as id`,
)

type AddressChange = { id: number; hasAddress: boolean; changedAt: Date }

/**
 * Applies changes of webhook addresses: with an address, waiting deliveries become due in the order of their creation;
 * without one, due deliveries wait (G19b). A run makes one step per merchant, so that a merchant with many does not delay the others. A
 * merchant stays marked for five minutes, because an event may be stored while the address changes. What has waited for further addresses that are
 * active again becomes due too. Returns how many deliveries moved.
 */
export async function applyAddressChanges(app: App): Promise<number> {
  const now = app.clock.now()
  const settled = new Date(now.getTime() - SETTLED_AFTER_MS)
  let moved = 0
  for (const change of await app.db.query(FIND_CHANGED, [settled.toISOString(), now.toISOString()]))
    moved += await applyAddressChange(app, change, { now, settled })
  moved += await releaseWaiting(app)
  if (moved > 0) app.nudge('send-deliveries')
  return moved
}

/** Makes one step for one merchant. An error does not stop the others: the mark stays and the next run tries again. */
async function applyAddressChange(
  app: App,
  { id, hasAddress, changedAt }: AddressChange,
  { now, settled }: { now: Date; settled: Date },
): Promise<number> {
  try {
    const { length: moved } = await (hasAddress
      ? app.db.query(UNPARK, [id, DELIVERIES_PER_STEP])
      : app.db.query(PARK, [id, DELIVERIES_PER_STEP, now.toISOString()]))
    if (changedAt < settled && moved < DELIVERIES_PER_STEP) await markAddressSettled(app, id, changedAt)
    return moved
  } catch (error) {
    app.log.error(
      { err: error, merchant: id },
      'deliveries could not follow the address of this merchant; they are tried again',
    )
    return 0
  }
}
