import { numbers, repeated, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { writeExact } from '../platform/exact-json.ts'
import { newId } from '../platform/ids.ts'

type Mode = 'test' | 'live'

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

/** One thing that happened to a merchant. `data` has its keys in code-point order (canonical JSON, G72). */
export type Happening = {
  merchantId: number
  tag: string
  mode: Mode
  type: EventType
  /** The public id of the object it happened to. */
  subject: string
  /** The number of the occurrence, for events that may happen several times to one object. */
  occurrence?: number
  data: Record<string, unknown>
  /** Whether the merchant has an address now; without one the delivery waits (G19b). */
  hasWebhookUrl: boolean
  /** Not sent before this; null or absent: at once. */
  notBefore?: Date | null
}

/** Sorts the keys of event data by code point (G72). One level only: nested data must be sorted already. */
export const inKeyOrder = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))

const ADD_EVENTS = statement(
  'add events',
  `insert into events (merchant_id, id, mode, type, subject, body, created_at, occurrence)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[])`,
)
const ADD_DELIVERIES = statement(
  'add deliveries',
  `insert into deliveries (merchant_id, event_id, mode, event, next_attempt_at, created_at)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::timestamptz[], $6::timestamptz[])`,
)

/**
 * The statements that store events with their final bytes, and their deliveries, in the transaction of the change they
 * report (spec 6; contract.md 3 p). The body is rendered here once: every attempt and resend sends these bytes.
 */
export function addEvents(happenings: readonly Happening[], at: Date): Call[] {
  if (happenings.length === 0) return []
  const time = at.toISOString()
  const ids = happenings.map((one) => newId('evt_', one.tag))
  const merchants = numbers(happenings.map((one) => one.merchantId))
  const modes = words(happenings.map((one) => one.mode))
  const types = words(happenings.map((one) => one.type))
  const times = repeated(time, happenings.length)
  return [
    call(
      ADD_EVENTS,
      merchants,
      words(ids),
      modes,
      types,
      words(happenings.map((one) => one.subject)),
      happenings.map((one, index) => envelope(one, ids[index] as string, at)),
      times,
      numbers(happenings.map((one) => one.occurrence ?? 0)),
    ),
    call(
      ADD_DELIVERIES,
      merchants,
      words(ids),
      modes,
      types,
      words(happenings.map((one) => (one.hasWebhookUrl ? (one.notBefore?.toISOString() ?? time) : null))),
      times,
    ),
  ]
}

/** The bytes of the envelope: its four keys in order, no spaces; `timestamp` is the creation of the event. */
function envelope(happening: Happening, id: string, at: Date): string {
  return writeExact({
    data: happening.data,
    event: happening.type,
    id,
    timestamp: Math.floor(at.getTime() / 1000),
  })
}
