import { Type } from 'typebox'
import { ChargeShape } from '../charges/charge.ts'
import type { WebhookDescription } from '../platform/http/openapi.ts'
import type { EventType } from '../webhooks/events.ts'

const charge = ChargeShape.properties

/** The data of the charge events (charges/charge.ts, chargeEventData), field by field in the order it is sent. */
const ChargeEventShape = Type.Object(
  {
    amount: charge.amount,
    available_on: charge.available_on,
    channel: charge.channel,
    completed_at: charge.completed_at,
    created_at: charge.created_at,
    currency: charge.currency,
    failure_reason: charge.failure_reason,
    fee: charge.fee,
    gift_card_amount: charge.gift_card_amount,
    id: charge.id,
    merchant_reference: Type.Union([
      Type.String({ description: 'your own reference, the same value as `reference`' }),
      Type.Null(),
    ]),
    mode: charge.mode,
    net: charge.net,
    payment_link_id: charge.payment_link_id,
    rail_reference: charge.rail_reference,
    reference: charge.reference,
    settled: charge.settled,
    status: charge.status,
  },
  { $id: 'ChargeEventData' },
)

const PingShape = Type.Object(
  {
    merchant: Type.String({ description: 'handle or public key' }),
    message: Type.String(),
    mode: Type.Enum(['test', 'live']),
    sent_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'PingEventData' },
)

const DESCRIBED = {
  'charge.succeeded': { summary: 'A charge was paid', data: ChargeEventShape },
  'charge.failed': { summary: 'A charge ended without money', data: ChargeEventShape },
  'test.ping': { summary: 'A test event that you asked for', data: PingShape },
} satisfies Record<EventType, Omit<WebhookDescription, 'event'>>

/** Every event that a receiver may get. A new event type does not compile until it is described here. */
export const DESCRIBED_EVENTS: readonly WebhookDescription[] = Object.entries(DESCRIBED).map(
  ([event, described]) => ({ event, ...described }),
)
