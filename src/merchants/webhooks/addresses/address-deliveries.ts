import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { listStatement } from '../../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, readListPage } from '../../../api/http/lists/lists.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { newId, parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { findMerchantsById, requireActive } from '../../account/merchant.ts'
import { DELIVERY_COLUMNS, type Delivery } from '../delivery.ts'
import { addEventAlone, newEventId } from '../events.ts'
import { buildPingData, sendPing } from '../send-ping.ts'
import { firstAddressId } from './address.ts'
import { requireActiveKey, turnAddress } from './change-addresses.ts'
import { getAddress } from './find-addresses.ts'

type AddressFilter = ListWindow & { statuses: readonly string[]; event: string | null }

const COLUMNS = `${DELIVERY_COLUMNS}, d.address_id as "addressId"`
const LIST = listStatement<Delivery>(
  'list deliveries of address',
  `select ${COLUMNS} from address_deliveries d where d.merchant_id = :merchantId and d.mode = :mode and d.address_id = :address
     and d.created_at >= :bound and (d.created_at, d.event_id) < (:cursorAt, :cursorId)
     and (:status::text is null or d.status = any(string_to_array(:status::text, ','))) and (:event::text is null or d.event = :event::text)
   order by d.created_at desc, d.event_id desc limit :limit`,
  { filters: ['address', 'status', 'event'] },
)
const BY_ID = statement<Delivery>(
  'delivery of address by id',
  `select ${COLUMNS} from address_deliveries d where d.merchant_id = $1 and d.address_id = $2 and d.event_id = $3 and d.mode = $4`,
)
// One that is under way is left to its attempt, so that there are never two at once.
const RESEND = statement<Delivery>(
  'resend delivery to address',
  `update address_deliveries d set status = 'pending', attempts = case when d.status = 'pending' then d.attempts else 0 end,
     last_response_code = null, last_error = null, delivered_at = null,
     next_attempt_at = case when a.state = 'active' then $5::timestamptz end, lease_until = null, lease_token = null
   from webhook_addresses a
   where d.merchant_id = $1 and d.address_id = $2 and d.event_id = $3 and d.mode = $4 and (d.lease_until is null or d.lease_until <= $5)
     and a.merchant_id = d.merchant_id and a.id = d.address_id and a.removed_at is null
   returning ${COLUMNS}`,
)
const ADD_PING = statement(
  'add test event of address',
  `insert into address_deliveries (merchant_id, address_id, event_id, mode, event, next_attempt_at, created_at)
   values ($1, $2, $3, $4, 'test.ping', $5, $6)`,
)

/** Returns one page of the deliveries to one of the caller's further addresses, newest first. Throws 404. */
export async function listAddressDeliveries(
  app: App,
  caller: Caller,
  { address, filter }: { address: string; filter: AddressFilter },
): Promise<ListPage<Delivery>> {
  await getAddress(app, caller, address)
  const status = filter.statuses.length === 0 ? null : filter.statuses.join(',')
  return readListPage(app, caller, {
    window: filter,
    statement: LIST,
    filters: { address, status, event: filter.event },
    find: (id) => findAddressDelivery(app, caller, { address, id }),
  })
}

/** Finds a delivery to one of the caller's further addresses by the id of its event; null where there is none. */
async function findAddressDelivery(
  app: App,
  caller: Caller,
  { address, id }: { address: string; id: string },
): Promise<Delivery | null> {
  const own = parseTag('evt_', id) === caller.tag
  const [delivery] = own ? await app.db.query(BY_ID, [caller.merchantId, address, id, caller.mode]) : []
  return delivery ?? null
}

/** Makes a delivery to a further address due now, or lets it wait while the address is not active. Null where there is none. */
export async function resendToAddress(
  app: App,
  caller: Caller,
  { address, id }: { address: string; id: string },
): Promise<Delivery | null> {
  allow(caller, 'webhook.resend')
  await requireActive(app, caller.merchantId)
  await getAddress(app, caller, address)
  const now = app.clock.now().toISOString()
  const [delivery] = await app.db.query(RESEND, [caller.merchantId, address, id, caller.mode, now])
  if (delivery) app.nudge('send-deliveries')
  return delivery ?? findAddressDelivery(app, caller, { address, id })
}

/** Sends the event that tests a receiver to one address only. It is delivered like any other. Throws 404. */
export async function pingAddress(app: App, caller: Caller, id: string): Promise<{ eventId: string }> {
  const { merchantId, mode, tag } = caller
  allow(caller, 'webhook.ping', merchantId)
  await requireActiveKey(app, caller)
  if (id === firstAddressId(tag)) return sendPing(app, caller, { merchant: { id: merchantId }, mode })
  const find = findMerchantsById([merchantId])
  const [merchant] = await app.db.query(find.statement, find.values)
  assert(merchant, 'a merchant is never deleted')
  const eventId = newEventId(tag, app.clock.now())
  await turnAddress(app, caller, id, ({ at, before }) => {
    const data = buildPingData(merchant.handle, mode, at)
    const subject = newId('ping_', '')
    const happening = {
      merchantId,
      tag,
      mode,
      type: 'test.ping',
      eventId,
      subject,
      data,
      hasWebhookUrl: false,
    } as const
    const due = before.state === 'active' ? at.toISOString() : null
    const row = auditRow({ actor: caller, action: 'webhook.ping', at, merchantId, mode, subject: id })
    return [...addEventAlone(happening, at), call(ADD_PING, merchantId, id, eventId, mode, due, at.toISOString()), row]
  })
  app.nudge('send-deliveries')
  return { eventId }
}
