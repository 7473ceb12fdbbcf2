import { Type } from 'typebox'
import type { Call } from '../../platform/db/database.ts'
import { bigint, bytea, copyInto, integer, mode, text, time } from '../../platform/db/wire/copy.ts'
import type { Mode } from '../../platform/mode.ts'
import { writeExactJson } from '../../platform/text/exact-json.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { shortDigest } from '../../platform/text/short-digest.ts'

export const EVENT_TYPES = [
  'charge.succeeded',
  'charge.failed',
  'charge.refunded',
  'payout.succeeded',
  'payout.failed',
  'vending.dispensed',
  'vending.dispense_failed',
  'dispute.opened',
  'test.ping',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
/** The schema of an event's type. */
export const EventTypeShape = Type.Enum(EVENT_TYPES, { $id: 'EventType' })

/** What an event reports. `data` has its keys in code-point order (canonical JSON, G72), or is that text already. */
export type Happening = {
  merchantId: number
  tag: string
  mode: Mode
  type: EventType
  /** The name in the envelope of a sample of another event; else it is `type`. */
  named?: EventType
  /** Its id, where the caller has made it already. */
  eventId?: string
  /** The public id of the object it happened to. */
  subject: string
  /** Numbers the occurrences of an event that may happen several times to one object. */
  occurrence?: number
  data: Record<string, unknown> | string
  /** Whether the merchant has an address now; without one the delivery waits (G19b). */
  hasWebhookUrl: boolean
  /** The event is not sent before this time; null or absent: it is sent at once. */
  notBefore?: Date | null
}

/** Sorts the keys of event data by code point (G72). It sorts one level only: nested data must be sorted already. */
export const inKeyOrder = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))

/** A delivery of an event that is about to be stored and is due at once. */
export type NewDelivery = { merchantId: number; mode: Mode; eventId: string; body: string; createdAt: Date }

/** The claim with which a delivery is stored: the process with this token posts it to this address. */
export type DeliveryLease = { until: Date; token: string; url: string }

/** Gives the process that stores this delivery its lease; null: it waits for a claim. */
export type LeaseNewDelivery = (delivery: NewDelivery) => DeliveryLease | null

/** A happening with its id, its time and its final bytes. */
type NewEvent = { happening: Happening; id: string; at: Date; body: string; lease: DeliveryLease | null }

const EVENTS = copyInto<NewEvent>('add events', 'events', {
  merchant_id: bigint(({ happening }) => happening.merchantId),
  id: text(({ id }) => id),
  mode: mode(({ happening }) => happening.mode),
  type: text(({ happening }) => happening.type),
  subject: text(({ happening }) => happening.subject),
  body: text(({ body }) => body),
  created_at: time(({ at }) => at),
  occurrence: integer(({ happening }) => happening.occurrence ?? 0),
  digest: bytea(({ body }) => shortDigest(body)),
})
const DELIVERIES = copyInto<NewEvent>('add deliveries', 'deliveries', {
  merchant_id: bigint(({ happening }) => happening.merchantId),
  event_id: text(({ id }) => id),
  mode: mode(({ happening }) => happening.mode),
  event: text(({ happening }) => happening.type),
  next_attempt_at: time(({ happening, at }) => (happening.hasWebhookUrl ? (happening.notBefore ?? at) : null)),
  created_at: time(({ at }) => at),
  lease_until: time(({ lease }) => lease?.until ?? null),
  lease_token: text(({ lease }) => lease?.token ?? null),
  url: text(({ lease }) => lease?.url ?? null),
})

const WITHOUT_LEASE: LeaseNewDelivery = () => null

/**
 * Stores events with their final bytes, and their deliveries. Send the calls in the transaction of the change that the events report
 * (spec 6; contract.md 3 p). The body is rendered here once: every attempt and resend sends these bytes. `leaseOf` is asked for each
 * delivery that is due at once.
 */
export function addEvents(
  happenings: readonly Happening[],
  at: Date,
  leaseOf: LeaseNewDelivery = WITHOUT_LEASE,
): Call[] {
  const events = happenings.map((happening) => makeEvent(happening, at, leaseOf))
  return [...EVENTS.rows(events), ...DELIVERIES.rows(events)]
}

/** Stores an event that is sent only where its caller says: it has no delivery to the first address. */
export const addEventAlone = (happening: Happening, at: Date): Call[] =>
  EVENTS.rows([makeEvent(happening, at, WITHOUT_LEASE)])

function makeEvent(happening: Happening, at: Date, leaseOf: LeaseNewDelivery): NewEvent {
  const { merchantId, mode, hasWebhookUrl, notBefore = null } = happening
  const eventId = happening.eventId ?? newEventId(happening.tag, at)
  const body = renderEnvelope(happening, eventId, at)
  const isDue = hasWebhookUrl && notBefore === null
  const lease = isDue ? leaseOf({ merchantId, mode, eventId, body, createdAt: at }) : null
  return { happening, id: eventId, at, body, lease }
}

/** Makes the id of an event of this merchant. */
export const newEventId = (tag: string, at: Date): string => newAscendingId('evt_', tag, at)

/** Renders the envelope: four keys in order, no spaces. `timestamp` is the creation of the event, in seconds. */
function renderEnvelope({ data, type, named = type }: Happening, id: string, at: Date): string {
  const written = typeof data === 'string' ? data : writeExactJson(data)
  return `{"data":${written},"event":"${named}","id":"${id}","timestamp":${Math.floor(at.getTime() / 1000)}}`
}
