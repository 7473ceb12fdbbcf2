import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { isUnclaimed } from '../claim-deliveries.ts'
import type { DueAddress } from './claim-address-deliveries.ts'

type AddressName = Pick<DueAddress, 'merchantId' | 'addressId'>

// Small enough for one step to end well within the statement time-out.
const DELIVERIES_PER_STEP = 1000
const ADDRESSES_PER_STEP = 20
// Longer than any transaction that stores a delivery. Until then one that has read the old state may still store one.
const SETTLED_AFTER_MS = 300_000
const KEPT_MS = 30 * 86_400_000

/** The source of the rows of further addresses at which deliveries may wait although they are active. */
export const WAITING_AT_ADDRESSES = `webhook_addresses where waits and state = 'active' and removed_at is null`

// Only those at which something waits take a place, the longest active first: whoever pauses and resumes all the time keeps nobody out.
const FIND_WAITING = statement<AddressName>(
  'active addresses at which deliveries wait',
  `select a.merchant_id as "merchantId", a.id as "addressId" from webhook_addresses a
   where a.waits and a.state = 'active' and a.removed_at is null
     and exists (select from address_deliveries p where p.merchant_id = a.merchant_id and p.address_id = a.id
       and p.status = 'pending' and p.next_attempt_at is null)
   order by a.state_since, a.merchant_id, a.id limit ${ADDRESSES_PER_STEP}`,
)
// Oldest first, so that later steps release later events.
const UNPARK = statement<{ id: string }>(
  'release deliveries of address',
  `update address_deliveries d set next_attempt_at = d.created_at
   from (select p.event_id from address_deliveries p
     where p.merchant_id = $1 and p.address_id = $2 and p.status = 'pending' and p.next_attempt_at is null
     order by p.created_at, p.sequence limit ${DELIVERIES_PER_STEP} for no key update) n
   where d.merchant_id = $1 and d.address_id = $2 and d.event_id = n.event_id returning d.event_id as id`,
)
const SETTLE = statement(
  'no delivery waits at address',
  `update webhook_addresses a set waits = false where a.waits and a.state = 'active' and a.removed_at is null and a.state_since < $1
     and not exists (select from address_deliveries p where p.merchant_id = a.merchant_id and p.address_id = a.id
       and p.status = 'pending' and p.next_attempt_at is null)`,
)
const PARK = statement<{ id: string }>(
  'park deliveries of address',
  `update address_deliveries d set next_attempt_at = null, lease_until = null, lease_token = null
   from (select p.event_id from address_deliveries p
     where p.merchant_id = $1 and p.address_id = $2 and p.next_attempt_at <= $3 and ${isUnclaimed('p', '$3')}
     order by p.next_attempt_at limit ${DELIVERIES_PER_STEP} for no key update skip locked) n
   where d.merchant_id = $1 and d.address_id = $2 and d.event_id = n.event_id returning d.event_id as id`,
)

/** Makes due, in steps, what has waited for addresses that are active again. Returns how many deliveries. */
export async function releaseWaiting(app: App): Promise<number> {
  let released = 0
  for (const { merchantId, addressId } of await app.db.query(FIND_WAITING, []))
    released += (await app.db.query(UNPARK, [merchantId, addressId])).length
  await app.db.query(SETTLE, [addMs(app.clock.now(), -SETTLED_AFTER_MS).toISOString()])
  return released
}

/** Lets due deliveries of addresses that are not active wait for them. Returns how many. */
export async function parkDeliveries(app: App, addresses: readonly AddressName[], now: Date): Promise<number> {
  let parked = 0
  for (const { merchantId, addressId } of addresses)
    parked += (await app.db.query(PARK, [merchantId, addressId, now.toISOString()])).length
  return parked
}

const ROWS_PER_STATEMENT = 5000
const PRUNE = statement<{ id: string }>(
  'prune deliveries of addresses',
  `with gone as (
     delete from address_deliveries where (merchant_id, address_id, event_id) in (
       select merchant_id, address_id, event_id from address_deliveries where created_at < $1 and status <> 'pending' limit $2)
     returning merchant_id, address_id, event_id),
   attempts as (
     delete from delivery_attempts a using gone
     where (a.merchant_id, a.event_id, a.address_id) = (gone.merchant_id, gone.event_id, gone.address_id))
   select event_id as id from gone`,
)
const FIND_REMOVED = statement<AddressName>(
  'removed webhook addresses',
  `select merchant_id as "merchantId", id as "addressId" from webhook_addresses where removed_at is not null order by removed_at limit ${ADDRESSES_PER_STEP}`,
)
const PRUNE_REMOVED = statement<{ id: string }>(
  'prune deliveries of removed address',
  `with gone as (
     delete from address_deliveries where merchant_id = $1 and address_id = $2 and event_id in (
       select event_id from address_deliveries where merchant_id = $1 and address_id = $2 limit $3)
     returning merchant_id, address_id, event_id),
   attempts as (
     delete from delivery_attempts a using gone
     where (a.merchant_id, a.event_id, a.address_id) = (gone.merchant_id, gone.event_id, gone.address_id))
   select event_id as id from gone`,
)
const FORGET_REMOVED = statement(
  'forget removed webhook address',
  `delete from webhook_addresses where merchant_id = $1 and id = $2 and removed_at < $3`,
)
const FORGET_PREVIOUS = statement(
  'forget previous secrets of webhook addresses',
  'update webhook_addresses set previous_secret = null, previous_until = null where previous_until <= $1',
)

/** Deletes finished deliveries after 30 days, and what is left of removed addresses. Returns how many deliveries. */
export async function pruneAddresses(app: App): Promise<number> {
  const now = app.witness.earlier()
  await app.db.query(FORGET_PREVIOUS, [now.toISOString()])
  let pruned = 0
  for (;;) {
    const gone = await app.db.query(PRUNE, [addMs(now, -KEPT_MS).toISOString(), ROWS_PER_STATEMENT])
    pruned += gone.length
    if (gone.length < ROWS_PER_STATEMENT) break
  }
  for (const { merchantId, addressId } of await app.db.query(FIND_REMOVED, []))
    pruned += await pruneRemoved(app, { merchantId, addressId }, addMs(now, -SETTLED_AFTER_MS))
  return pruned
}

async function pruneRemoved(app: App, { merchantId, addressId }: AddressName, before: Date): Promise<number> {
  const { length } = await app.db.query(PRUNE_REMOVED, [merchantId, addressId, ROWS_PER_STATEMENT])
  // Its row goes once nothing can be stored for it any more.
  const forget = call(FORGET_REMOVED, merchantId, addressId, before.toISOString())
  if (length === 0) await app.db.query(forget.statement, forget.values)
  return length
}
