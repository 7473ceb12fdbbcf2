import type { TSchema } from 'typebox'
import type { WebhookDescription } from '../../api/http/openapi/openapi.ts'
import { DESCRIBED_EVENTS } from './events.ts'
import { SAMPLE_CHARGE, SAMPLE_COMPLETED_AT, SAMPLE_CREATED_AT, SAMPLE_PAYOUT } from './sample-values.ts'

/** An example of an event for the catalogue. `body` is the JSON that a receiver would get. */
type EventSample = { event: string; summary: string; body: string }

type EventValues = Record<string, unknown>

const CHARGE_VALUES = {
  ...{
    id: 'txn_k3v9q0123456789abcdef',
    mode: 'test',
    status: 'succeeded',
    ...SAMPLE_CHARGE,
  },
  ...{ gift_card_amount: 0, currency: 'UGX', channel: 'op1_momo', reference: 'order-1042' },
  ...{ merchant_reference: 'order-1042', rail_reference: '7b1c4e0a-2f6d-4c1b-9d3e-5a8f0b6c7d21' },
  ...{
    failure_reason: null,
    payment_link_id: null,
    created_at: SAMPLE_CREATED_AT,
    completed_at: SAMPLE_COMPLETED_AT,
    settled: true,
  },
  ...{ available_on: SAMPLE_COMPLETED_AT, metadata: {} },
  customer: { email: null, name: 'Aisha Namukasa', phone: '256700000000' },
}
const PAYOUT_VALUES = {
  ...{ id: 'pout_k3v9q0123456789abcdef', mode: 'test', status: 'succeeded', ...SAMPLE_PAYOUT },
  ...{ currency: 'UGX', channel: 'op1_momo', reference: 'wages-7', merchant_reference: 'wages-7' },
  ...{ recipient_phone: '256700000000', recipient_name: 'A. Namukasa', kind: 'payout', failure_reason: null },
  ...{
    rail_reference: '2d9f6a10-8c3b-4e57-a1d4-6b0e9c7f3a52',
    created_at: SAMPLE_CREATED_AT,
    completed_at: SAMPLE_COMPLETED_AT,
  },
  ...{ charge_id: null, batch_id: null, scheduled_payout_id: null, metadata: {} },
}
const ORDER_VALUES = {
  ...{ order_id: 'lnk_k3v9q0123456789abcdef', mode: 'test', charge_id: CHARGE_VALUES.id, machine: 'M-1' },
  ...{
    amount: 1000,
    currency: 'UGX',
    reference: 'shelf-3',
    merchant_reference: 'shelf-3',
    source: 'callback',
  },
  ...{ goods: [{ spbh: '1', spmc: 'Water', spdj: 1000 }], payment_status: 'succeeded' },
  ...{ vending_status: 'dispensed', vending_error: null, units_dispensed: 1 },
  ...{
    dispense_result: [{ spbh: '1', chsl: 1, spmc: 'Water' }],
    dispensed_at: SAMPLE_COMPLETED_AT,
    created_at: SAMPLE_CREATED_AT,
  },
}
const PAY_URL = 'https://pay.example.com'
const ORDER_PAGE_VALUES = {
  ...{
    qr_png_url: `${PAY_URL}/pay/${ORDER_VALUES.order_id}/qr.png`,
    qr_svg_url: `${PAY_URL}/pay/${ORDER_VALUES.order_id}/qr.svg`,
  },
  ...{
    pay_url: `${PAY_URL}/pay/${ORDER_VALUES.order_id}`,
    qr_content: `${PAY_URL}/pay/${ORDER_VALUES.order_id}`,
  },
  status_url: `${PAY_URL}/v1/vending/orders/${ORDER_VALUES.order_id}`,
  state_url: `${PAY_URL}/vending/display/${ORDER_VALUES.order_id}/state.json`,
  display_url: `${PAY_URL}/vending/display/${ORDER_VALUES.order_id}`,
  ...{ refunded: false, expired: false, expires_at: '2026-11-22T11:07:00.000Z', metadata: {} },
}
const FAILED_VALUES = {
  status: 'failed',
  failure_reason: 'insufficient_funds',
  settled: false,
  available_on: null,
}

// The values of each event. Its fields are those of its schema; a value that no schema has is left out.
const VALUES_BY_EVENT: Record<string, EventValues> = {
  'charge.succeeded': CHARGE_VALUES,
  'charge.failed': { ...CHARGE_VALUES, ...FAILED_VALUES },
  'charge.refunded': {
    ...{
      ...CHARGE_VALUES,
      status: 'refunded',
      refund_amount: SAMPLE_CHARGE.amount,
      refund_id: PAYOUT_VALUES.id,
      refunded_at: SAMPLE_COMPLETED_AT,
    },
    gift_card_restored: 0,
  },
  'payout.succeeded': PAYOUT_VALUES,
  'payout.failed': { ...PAYOUT_VALUES, status: 'failed', failure_reason: 'recipient_not_found' },
  'vending.dispensed': { ...ORDER_VALUES, ...ORDER_PAGE_VALUES },
  'vending.dispense_failed': {
    ...{
      ...ORDER_VALUES,
      ...ORDER_PAGE_VALUES,
      vending_status: 'failed',
      vending_error: 'the machine reported a jam',
    },
    ...{ units_dispensed: 0, dispense_result: [{ spbh: '1', chsl: 0, spmc: 'Water' }], dispensed_at: null },
  },
  'dispute.opened': {
    ...{
      ...CHARGE_VALUES,
      charge_id: CHARGE_VALUES.id,
      dispute_id: 'dsp_k3v9q0123456789abcdef',
      reason: 'not_delivered',
    },
    ...{ details: 'I paid and got nothing.', contact: '0700 000 000', opened_at: SAMPLE_COMPLETED_AT },
    respond_by: '2026-11-25T11:05:02.000Z',
  },
  'test.ping': { merchant: 'demo-shop', message: 'test event', mode: 'test', sent_at: SAMPLE_CREATED_AT },
}

/** Every event that a receiver may get, each with an example. */
export const EVENT_SAMPLES: readonly EventSample[] = DESCRIBED_EVENTS.map(buildEventSample)

/** Finds the data of the example of this event. */
export const findEventSample = (event: string): EventValues =>
  JSON.parse(EVENT_SAMPLES.find((sample) => sample.event === event)?.body ?? '{}').data ?? {}

function buildEventSample({ event, summary, data }: WebhookDescription): EventSample {
  const values = buildEventData(data, VALUES_BY_EVENT[event] ?? {})
  const timestamp = Math.floor(new Date(SAMPLE_CREATED_AT).getTime() / 1000)
  return {
    event,
    summary,
    body: JSON.stringify({ data: sortFields(values), event, id: 'evt_k3v9q0123456789abcdef', timestamp }, null, 2),
  }
}

function sortFields(values: EventValues): EventValues {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Fills the fields of the schema with these values. A required field without a value gets an example by its type. */
function buildEventData(schema: TSchema, values: EventValues): EventValues {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, EventFieldSchema>
    required?: string[]
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name in values || required.includes(name))
      .map(([name, part]) => [name, name in values ? values[name] : exampleByType(part)]),
  )
}

type EventFieldSchema = {
  type?: string
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: EventFieldSchema[]
  items?: EventFieldSchema
}

function exampleByType(part: EventFieldSchema): unknown {
  if (part.const !== undefined) return part.const
  if (part.enum !== undefined) return part.enum[0]
  if (part.anyOf !== undefined)
    return part.anyOf.some(({ type }) => type === 'null') ? null : exampleByType(part.anyOf[0] ?? {})
  switch (part.type) {
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return part.format === 'date-time' ? SAMPLE_CREATED_AT : 'text'
  }
}
