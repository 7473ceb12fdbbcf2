import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { parseListChoice } from '../../api/http/lists/list-choices.ts'
import { type ListStatement, listStatement, PLANNED_ONCE } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, readListPage } from '../../api/http/lists/lists.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest, Refusal } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { requireActive } from '../account/merchant.ts'
import { firstAddressId } from './addresses/address.ts'
import { listAddressDeliveries, resendToAddress } from './addresses/address-deliveries.ts'
import { DELIVERY_COLUMNS, DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from './delivery.ts'
import { ALL_INDEX_CONDITIONS, IS_FINISHED, IS_PARKED, IS_SCHEDULED } from './delivery-indexes.ts'
import { EVENT_TYPES } from './events.ts'

/** `address`: the id of one of the caller's addresses; null: the first one. */
type DeliveryFilter = ListWindow & { status: string | null; event: string | null; address?: string | null }

type StatusFilter = DeliveryStatus | 'any' | 'several'
type Scan = { index: string; status: string; byEvent: boolean }

// Each filter has its own statement, and statuses are constants in it: one plan for all filters would use none of the indexes. Without a
// filter by event each index is scanned once per event, because an index without the event would cost every payment another entry. Few
// deliveries fail, so failed ones have such an index.
const scansOf = (status: string, indexes: readonly string[], byEvent = true): Scan[] =>
  indexes.map((index) => ({ index, status, byEvent }))
const isOneOf = (status: DeliveryStatus) => `'${status}' = any(string_to_array(:status::text, ','))`
const SCANS: Record<StatusFilter, readonly Scan[]> = {
  any: scansOf(':status::text is null', ALL_INDEX_CONDITIONS),
  failed: scansOf("d.status = 'failed' and :status::text = 'failed'", [IS_FINISHED], false),
  pending: scansOf(":status::text = 'pending'", [IS_SCHEDULED, IS_PARKED]),
  sent: scansOf("d.status = 'sent' and :status::text = 'sent'", [IS_FINISHED]),
  // A scan of another status ends before it begins.
  several: [
    ...scansOf(`d.status = 'failed' and ${isOneOf('failed')}`, [IS_FINISHED], false),
    ...scansOf(isOneOf('pending'), [IS_SCHEDULED, IS_PARKED]),
    ...scansOf(`d.status = 'sent' and ${isOneOf('sent')}`, [IS_FINISHED]),
  ],
}
const EVENT_CONDITIONS = { any: ':event::text is null', one: 'd.event = :event' }

/** Makes the statement that merges the ordered scans of the indexes that hold such deliveries. */
function makeListStatement(status: StatusFilter, event: keyof typeof EVENT_CONDITIONS): ListStatement<Delivery> {
  const scans = SCANS[status].flatMap((scan) =>
    (event === 'any' && scan.byEvent ? EVENT_TYPES.map((type) => `d.event = '${type}'`) : ['true']).map(
      (condition) => `(select ${DELIVERY_COLUMNS} from deliveries d where d.merchant_id = :merchantId and d.mode = :mode
     and d.created_at >= :bound and (d.created_at, d.event_id) < (:cursorAt, :cursorId)
     and ${scan.index} and ${condition} and ${scan.status} and ${EVENT_CONDITIONS[event]}
   order by d.created_at desc, d.event_id desc limit :limit)`,
    ),
  )
  return listStatement<Delivery>(
    `list deliveries, ${status} status, ${event} event`,
    `select * from (${scans.join(' union all ')}) d order by "createdAt" desc, id desc limit :limit`,
    PLANNED_ONCE,
  )
}
const makeListStatements = (event: keyof typeof EVENT_CONDITIONS): Record<StatusFilter, ListStatement<Delivery>> => ({
  any: makeListStatement('any', event),
  failed: makeListStatement('failed', event),
  pending: makeListStatement('pending', event),
  sent: makeListStatement('sent', event),
  several: makeListStatement('several', event),
})
const LISTS = { any: makeListStatements('any'), one: makeListStatements('one') }
const BY_ID = statement<Delivery>(
  'delivery by id',
  `select ${DELIVERY_COLUMNS} from deliveries d where d.merchant_id = $1 and d.event_id = $2 and d.mode = $3`,
)
const FIND_EVENT = statement<{ subject: string; body: string }>(
  'event by id',
  'select subject, body from events where merchant_id = $1 and id = $2 and mode = $3',
)
// A lease of an attempt under way stays, so that there are never two attempts at once; the resend follows it.
const RESEND = statement<Delivery>(
  'resend delivery',
  `update deliveries d set status = 'pending', attempts = case when d.status = 'pending' then d.attempts else 0 end,
     last_response_code = null, last_error = null, delivered_at = null, resend_wanted = coalesce(d.lease_until > $4, false), url = m.webhook_url,
     next_attempt_at = case when d.lease_until > $4 then d.next_attempt_at
       when m.webhook_url is not null then $4::timestamptz end,
     lease_until = case when d.lease_until > $4 then d.lease_until end,
     lease_token = case when d.lease_until > $4 then d.lease_token end
   from merchants m where d.merchant_id = $1 and d.event_id = $2 and d.mode = $3 and m.id = d.merchant_id
   returning ${DELIVERY_COLUMNS}`,
)

/** Returns one page of the caller's deliveries in its mode, newest first (G19). Throws 400 for an unknown status or event. */
export async function listDeliveries(app: App, caller: Caller, filter: DeliveryFilter): Promise<ListPage<Delivery>> {
  const statuses = parseStatuses(filter.status)
  parseListChoice('event', filter.event ?? undefined, EVENT_TYPES)
  const [status = null] = statuses
  const { address = null } = filter
  if (address !== null && address !== firstAddressId(caller.tag))
    return listAddressDeliveries(app, caller, { address, filter: { ...filter, statuses } })
  return readListPage(app, caller, {
    window: filter,
    statement: listStatementFor({ status: statuses.length > 1 ? 'several' : status, event: filter.event }),
    filters: { status: statuses.length === 0 ? null : statuses.join(','), event: filter.event },
    find: (id) => findDelivery(app, caller, id),
  })
}

function parseStatuses(text: string | null): DeliveryStatus[] {
  const parts = text === null ? [] : text.split(',').map((part) => part.trim())
  const statuses = DELIVERY_STATUSES.filter((status) => parts.includes(status))
  if (parts.some((part) => !statuses.some((status) => status === part)))
    throw badRequest('status must be pending, sent or failed')
  return statuses
}

/** Returns the statement for this filter; the first parameters are the same in all of them. */
export const listStatementFor = ({
  status,
  event,
}: {
  status: DeliveryStatus | 'several' | null
  event: string | null
}): ListStatement<Delivery> => LISTS[event === null ? 'any' : 'one'][status ?? 'any']

/** Makes one delivery due now: the same bytes, to the current address, signed with the current secret (G19a). Throws 400, 404. */
export async function resendDelivery(
  app: App,
  caller: Caller,
  eventId: string,
  address: string = firstAddressId(caller.tag),
): Promise<Delivery> {
  allow(caller, 'webhook.resend')
  if (!/^evt_[a-z0-9]+$/.test(eventId)) throw badRequest('event id must look like evt_...')
  const delivery =
    address === firstAddressId(caller.tag)
      ? await resendToFirst(app, caller, eventId)
      : await resendToAddress(app, caller, { address, id: eventId })
  if (!delivery)
    throw new Refusal(404, 'not_found', 'no webhook delivery with that event id (deliveries are retained 30 days)')
  return delivery
}

async function resendToFirst(app: App, caller: Caller, eventId: string): Promise<Delivery | null> {
  await requireActive(app, caller.merchantId)
  const own = parseTag('evt_', eventId) === caller.tag
  const resend = call(RESEND, caller.merchantId, eventId, caller.mode, app.clock.now().toISOString())
  const [delivery] = own ? await app.db.query(resend.statement, resend.values) : []
  if (delivery) app.nudge('send-deliveries')
  return delivery ?? null
}

/** Finds the subject of an event and the bytes that every attempt sends; null where the caller has no such event in its mode. */
export async function findEvent(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ subject: string; body: string } | null> {
  const own = parseTag('evt_', id) === caller.tag
  const [event] = own ? await app.db.query(FIND_EVENT, [caller.merchantId, id, caller.mode]) : []
  return event ?? null
}

/** Finds one of the caller's deliveries in its mode by the id of its event; null where there is none. */
export async function findDelivery(app: App, caller: Caller, id: string): Promise<Delivery | null> {
  const own = parseTag('evt_', id) === caller.tag
  const [delivery] = own ? await app.db.query(BY_ID, [caller.merchantId, id, caller.mode]) : []
  return delivery ?? null
}
