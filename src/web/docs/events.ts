import { Type } from 'typebox'
import type { WebhookDescription } from '../../api/http/openapi/openapi.ts'
import type { EventType } from '../../merchants/webhooks/events.ts'
import { ChargeEventShape } from '../../payments/charges/charge-event.ts'
import { PayoutEventShape } from '../../payments/payouts/payout.ts'
import { ModeShape } from '../../platform/mode.ts'
import { OrderShape } from '../../selling/vending/orders/order.ts'

const textOrNull = (options: { description: string }) => Type.Union([Type.String(options), Type.Null()])

const RefundedEventShape = Type.Object(
  {
    ...ChargeEventShape.properties,
    gift_card_restored: Type.Integer({ minimum: 0, description: 'what went back to a gift card, whole UGX' }),
    refund_amount: Type.Integer({ minimum: 0, description: 'what the customer gets back, whole UGX' }),
    refund_id: textOrNull({
      description: 'the payout that brings it back, `pout_...`; null where a gift card had paid all of it',
    }),
    refunded_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'RefundedEventData' },
)

/** The data of dispute.opened (selling/disputes/dispute.ts, disputeEventData). */
const DisputeEventShape = Type.Object(
  {
    ...ChargeEventShape.properties,
    charge_id: Type.String({ description: 'the charge it is about, the same value as `id`' }),
    contact: textOrNull({
      description: 'how the customer can be reached, as typed: raw input of a stranger, escape it',
    }),
    details: textOrNull({ description: 'what the customer wrote: raw input of a stranger, escape it' }),
    dispute_id: Type.String({ description: 'starts with `dsp_`' }),
    opened_at: Type.String({ format: 'date-time' }),
    reason: Type.Enum(['not_delivered', 'wrong_amount', 'double_charge', 'other'], { $id: 'DisputeReason' }),
    respond_by: Type.String({ format: 'date-time', description: '72 hours after `opened_at`' }),
  },
  { $id: 'DisputeEventData' },
)

/** The data of the vending events (selling/vending/dispensing/dispense-events.ts). */
const VendingEventShape = Type.Object(
  {
    ...OrderShape.properties,
    merchant_reference: OrderShape.properties.reference,
    source: Type.Enum(['callback', 'command', 'manual'], {
      $id: 'VendingEventSource',
      description: 'a report of the machine, the answer to our command, or a decision of a person',
    }),
  },
  { $id: 'VendingEventData' },
)

const PingShape = Type.Object(
  {
    merchant: Type.String({ description: 'handle or public key' }),
    message: Type.String(),
    mode: ModeShape,
    sent_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'PingEventData' },
)

const EVENT_DESCRIPTIONS = {
  'charge.succeeded': { summary: 'A charge was paid', data: ChargeEventShape },
  'charge.failed': { summary: 'A charge ended without money', data: ChargeEventShape },
  'charge.refunded': { summary: 'A charge was refunded; follow its payout', data: RefundedEventShape },
  'payout.succeeded': { summary: 'A recipient was paid', data: PayoutEventShape },
  'payout.failed': { summary: 'A payout failed; amount and fee are back', data: PayoutEventShape },
  'vending.dispensed': { summary: 'A machine has dispensed an order', data: VendingEventShape },
  'vending.dispense_failed': {
    summary: 'A machine could not dispense a paid order',
    data: VendingEventShape,
  },
  'dispute.opened': {
    summary: 'A customer reported a problem; answer within 72 hours. It moves no money',
    data: DisputeEventShape,
  },
  'test.ping': { summary: 'A test event that you asked for', data: PingShape },
} satisfies Record<EventType, Omit<WebhookDescription, 'event'>>

/** Every event that a receiver may get. A new event type does not compile until it is described here. */
export const DESCRIBED_EVENTS: readonly WebhookDescription[] = Object.entries(EVENT_DESCRIPTIONS).map(
  ([event, described]) => ({ event, ...described }),
)
