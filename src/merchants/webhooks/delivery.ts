import { Type } from 'typebox'
import { ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { firstAddressId } from './addresses/address.ts'
import { EventTypeShape } from './events.ts'

/** `pending`: waiting or under way. `sent`: acknowledged. `failed`: given up after the eighth attempt. */
export type DeliveryStatus = 'pending' | 'sent' | 'failed'

/** pending -> sent | failed; a resend brings sent and failed back to pending (contract.md G19a). */
export const DELIVERY_MOVES = {
  pending: { sent: null, failed: null },
  sent: { pending: null },
  failed: { pending: null },
} as const satisfies Moves<DeliveryStatus>

export const DELIVERY_STATUSES = statesOf<DeliveryStatus>(DELIVERY_MOVES)

export const MAX_DELIVERY_ATTEMPTS = 8
const SPREAD_FROM_S = 300
const SPREAD_FRACTION = 0.05

/** The longest delay that the settings allow before an attempt, and the same with the spread added. */
export const MAX_RETRY_DELAY_S = 604_800
export const MAX_RETRY_WAIT_MS = MAX_RETRY_DELAY_S * (1 + SPREAD_FRACTION) * 1000

/**
 * Returns the ms from a failed attempt to the next one, or null after the eighth (spec 6). Never less than the ladder says; from 5
 * minutes on up to 5 % more, so that the retries after a mass outage do not arrive as one wave.
 */
export function nextAttemptInMs(
  attemptsMade: number,
  delaysSeconds: readonly number[],
  chance: () => number = Math.random,
): number | null {
  if (attemptsMade >= MAX_DELIVERY_ATTEMPTS) return null
  const seconds = delaysSeconds[attemptsMade] ?? 0
  const late = seconds >= SPREAD_FROM_S ? seconds * SPREAD_FRACTION * chance() : 0
  return Math.ceil((seconds + late) * 1000)
}

/** A delivery as a merchant sees it. */
export type Delivery = {
  id: string
  /** The further address to which it goes; absent: the first one. */
  addressId?: string
  event: string
  mode: string
  url: string | null
  status: DeliveryStatus
  attempts: number
  lastResponseCode: number | null
  lastError: string | null
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  createdAt: Date
}

export const DELIVERY_COLUMNS = `d.event_id as id, d.event, d.mode, d.url, d.status, d.attempts,
  d.last_response_code as "lastResponseCode", d.last_error as "lastError", d.next_attempt_at as "nextAttemptAt",
  d.delivered_at as "deliveredAt", d.created_at as "createdAt"`

const orNull = (schema: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) =>
  Type.Union([schema, Type.Null()])
const TimeShape = Type.String({ format: 'date-time' })

export const DeliveryShape = Type.Object(
  {
    id: Type.String({ description: 'the `evt_` id, shared by every attempt and resend' }),
    event_id: Type.String({ description: 'the same value' }),
    event: EventTypeShape,
    mode: ModeShape,
    address: Type.String({ description: 'the id of its webhook address, starts with `wha_`' }),
    url: orNull(Type.String({ format: 'uri', description: 'the address of the last attempt' })),
    status: Type.Enum(DELIVERY_STATUSES, { $id: 'WebhookDeliveryStatus' }),
    attempts: Type.Integer({ minimum: 0 }),
    last_response_code: orNull(
      Type.Integer({ description: 'of the last attempt; null where it had no answer, and after a resend' }),
    ),
    last_error: orNull(
      Type.String({
        description: 'why the last attempt failed, with the address, for a person; its words may change',
      }),
    ),
    next_attempt_at: orNull(TimeShape),
    delivered_at: orNull(TimeShape),
    created_at: TimeShape,
  },
  { $id: 'WebhookDelivery' },
)

export function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    event_id: delivery.id,
    event: delivery.event,
    mode: delivery.mode,
    address: delivery.addressId ?? firstAddressId(parseTag('evt_', delivery.id) ?? ''),
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_response_code: delivery.lastResponseCode,
    last_error: formatDeliveryFailure(delivery),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
  }
}

type FailedDelivery = Pick<Delivery, 'lastError' | 'url'>

// The error classes of `Outcome` (platform/outbound/connect.ts), each with its sentence about the address.
const FAILURE_TEXTS: Readonly<Record<string, (origin: string) => string>> = {
  dns: (origin) => `the name of ${origin} was not found`,
  connect: (origin) => `no connection to ${origin} could be made within 2 seconds`,
  tls: (origin) => `${origin} has no certificate that can be believed, or no TLS 1.2`,
  timeout: (origin) => `${origin} did not answer within 5 seconds`,
  reset: (origin) => `${origin} closed the connection without an answer`,
  protocol: (origin) => `what ${origin} answered is not HTTP`,
  aborted: (origin) => `the call to ${origin} was given up`,
  late: (origin) => `the call to ${origin} was given up`,
  'redirect refused': (origin) => `${origin} answered with a redirect, which is never followed`,
  'refused target': (origin) => `webhooks may not go to ${origin}`,
}

/** Formats why the last attempt failed: its error class and a sentence that names the address; null where it did not fail. */
function formatDeliveryFailure({ lastError, url }: FailedDelivery): string | null {
  if (lastError === null) return null
  const origin = url !== null && URL.canParse(url) ? new URL(url).origin : 'the address'
  const [, status] = /^http (\d+)$/.exec(lastError) ?? []
  const sentence =
    status === undefined ? FAILURE_TEXTS[lastError]?.(origin) : `${origin} answered ${status}, which is no 2xx`
  return sentence === undefined ? lastError : `${lastError}: ${sentence}`
}
