import { Type } from 'typebox'
import { ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { formatDeliveryFailure } from './delivery-failure.ts'

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
    event: Type.String(),
    mode: ModeShape,
    url: orNull(Type.String({ description: 'the address of the last attempt' })),
    status: Type.Enum(DELIVERY_STATUSES, { $id: 'WebhookDeliveryStatus' }),
    attempts: Type.Integer(),
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
