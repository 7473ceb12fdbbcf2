import type { TSchema } from 'typebox'

type Json = Record<string, unknown>
type Part = {
  $id?: string
  type?: string | readonly string[]
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Part[]
  items?: Part
  properties?: Record<string, Part>
  required?: readonly string[]
  patternProperties?: Record<string, Part>
  additionalProperties?: Part
  description?: string
}

const TAG_AND_REST = 'k3v9q0123456789abcdef'
export const AT = '2026-11-22T11:05:00.000Z'
export const LATER = '2026-11-22T11:05:02.000Z'
const PAY = 'https://pay.example.com'
const LINK = `lnk_${TAG_AND_REST}`

// The value of a field by its name, in every object. A field that is not listed gets a value by its type.
const NAMED: Json = {
  ...{ amount: 12500, fee: 200, net: 12300, gift_card_amount: 0, gift_card_restored: 0, available_on: LATER },
  ...{ completed_at: LATER, reference: 'order-1042', merchant_reference: 'order-1042', settled: true },
  ...{ rail_reference: '7b1c4e0a-2f6d-4c1b-9d3e-5a8f0b6c7d21', rail_transaction_id: '2000000417' },
  ...{
    recipient_phone: '256700000000',
    recipient_name: 'A. Namukasa',
    phone: '256700000000',
    msisdn: '256700000000',
  },
  ...{ registered_name: 'NAMUKASA AISHA', handle: 'demo-shop', merchant: 'demo-shop', message: 'test event' },
  ...{ machine: 'M-1', qr_png_url: `${PAY}/pay/${LINK}/qr.png`, qr_svg_url: `${PAY}/pay/${LINK}/qr.svg` },
  ...{ url: `${PAY}/pay/${LINK}`, pay_url: `${PAY}/pay/${LINK}`, qr_content: `${PAY}/pay/${LINK}` },
  ...{
    status_url: `${PAY}/v1/vending/orders/${LINK}`,
    state_url: `${PAY}/vending/display/${LINK}/state.json`,
  },
  ...{
    display_url: `${PAY}/vending/display/${LINK}`,
    units_dispensed: 1,
    expires_at: '2026-11-22T11:07:00.000Z',
  },
  ...{
    spbh: '1',
    spmc: 'Water',
    spdj: 1000,
    chsl: 1,
    is_active: true,
    index: 0,

    accepted: 1,
    failed: 0,
  },
  ...{
    period: '2026-11',
    currency: 'UGX',
    charge_id: `txn_${TAG_AND_REST}`,
    next_cursor: null,
    has_more: false,
  },
  ...{ event: 'charge.succeeded', event_id: `evt_${TAG_AND_REST}`, name: 'Demo Shop', as_of: 1795345502 },
  ...{
    available: 61550,
    pending: 0,
    total: 61550,
    cached: 61550,
    public_key: 'pk_test_k3v9q0abcdef',
    retryable: false,
  },
  ...{ replayed: false, refunded: false, expired: false, allow_multiple_uses: false, count: 1, state: 'ok' },
}
const MOST_DEPTH = 8

/** Builds an example of this schema. `values` are the values that its fields must have. */
function sampleOf(schema: TSchema, values: Json = {}): unknown {
  return made(schema as Part, { name: '', depth: 0, values })
}

const RUNNING = { completed_at: null, rail_transaction_id: null }

// The values of an object by the `$id` of its schema, where they must agree with each other.
const OF_SCHEMA: Readonly<Record<string, Json>> = {
  Charge: {
    ...{
      status: 'succeeded',
      failure_reason: null,
      payment_link_id: null,
      refund_id: null,
      refunded_at: null,
    },
    ...{ id: `txn_${TAG_AND_REST}` },
  },
  Payout: {
    ...{
      id: `pout_${TAG_AND_REST}`,
      status: 'succeeded',
      failure_reason: null,
      kind: 'payout',
      amount: 30000,
      fee: 450,
    },
    ...{ reference: 'wages-7', charge_id: null, batch_id: null, scheduled_payout_id: null },
  },
  RefundPayout: { status: 'authorized', amount: 12500 },
  ScheduledPayout: {
    status: 'active',
    interval: 'monthly',
    name: 'Rent',
    failure_reason: null,
    cancelled_at: null,
  },
  PaymentLink: {
    ...{ status: 'pending', transaction_status: null, charge_id: null, description: 'Two coffees' },
    ...{ success_url: null, cancel_url: null },
  },
  VendingOrder: {
    ...{
      payment_status: 'unpaid',
      vending_status: 'pending',
      vending_error: null,
      charge_id: null,
      amount: 1000,
    },
    ...{
      dispensed_at: null,
      dispense_result: null,
      units_dispensed: null,
      invalidated_at: null,
      success_url: null,
    },
  },
  WebhookDelivery: {
    ...{
      url: 'https://shop.example/hook',
      status: 'sent',
      attempts: 1,
      last_response_code: 200,
      last_error: null,
    },
    ...{ next_attempt_at: null, delivered_at: LATER },
  },
  Account: { id: 'mer_k3v9q0123456789abcdef', kyc_status: 'verified' },
  ResolvedAccount: {},
  BulkResult: {
    ...{ total: 1, accepted: 1, failed: 0 },
    results: [
      {
        ...{ index: 0, ok: true, reference: 'wages-7', replayed: false, retryable: false },
        ...{ id: `pout_${TAG_AND_REST}`, status: 'authorized', amount: 30000 },
      },
    ],
  },
}
// The response that creates an object never has its outcome.
const REFUND = {
  id: `pout_${TAG_AND_REST}`,
  amount: 12500,
  fee: 200,
  currency: 'UGX',
  recipient_phone: '256700000000',
}
const JUST_MADE: Readonly<Record<string, Json>> = {
  Refund: { refund: { ...REFUND, status: 'authorized' } },
  Charge: { ...RUNNING, status: 'authorized', settled: false, available_on: null },
  Payout: { ...RUNNING, status: 'authorized' },
}

/** Builds an example of the response of an endpoint with this status. */
export function sampleAnswer(schema: TSchema, status: number): unknown {
  const { $id = '' } = schema as Part
  return sampleOf(schema, status > 200 ? JUST_MADE[$id] : {})
}

type Making = { name: string; depth: number; values?: Json }

function made(part: Part, { name, depth, values = {} }: Making): unknown {
  if (part.const !== undefined) return part.const
  if (part.enum !== undefined) return part.enum.includes(NAMED[name]) ? NAMED[name] : part.enum[0]
  if (part.anyOf !== undefined) return madeOfChoices(part.anyOf, { name, depth, values })
  switch ([part.type].flat()[0]) {
    case 'object':
      return depth > MOST_DEPTH ? {} : madeObject(part, { name, depth, values })
    case 'array':
      return part.items === undefined ? [] : [made(part.items, { name, depth: depth + 1 })]
    case 'integer':
    case 'number':
      return typeof NAMED[name] === 'number' ? NAMED[name] : 0
    case 'boolean':
      return NAMED[name] ?? true
    default:
      return madeText(part, name)
  }
}

/** Builds the first choice that is not null. A nullable field for which no value is listed is null. */
function madeOfChoices(choices: readonly Part[], { name, depth, values }: Making): unknown {
  const isKnown = NAMED[name] != null || Object.keys(values ?? {}).length > 0
  const maybeNull = choices.some(({ type }) => type === 'null')
  const [first] = choices.filter(({ type }) => type !== 'null')
  return maybeNull && !isKnown ? null : made(first ?? {}, { name, depth, ...(values ? { values } : {}) })
}

function madeObject(part: Part, { depth, values: requiredValues = {} }: Making): Json {
  const { $id = '', properties = {}, required = [] } = part
  const values: Json = { ...OF_SCHEMA[$id], ...requiredValues }
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || name in values)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      name in values ? values[name] : made(field, { name, depth: depth + 1 }),
    ]),
  )
}

function madeText({ format, description = '' }: Part, name: string): string {
  const [, prefix] = /starts with `([a-z]+_)`/.exec(description) ?? []
  if (prefix !== undefined) return `${prefix}${TAG_AND_REST}`
  const known = NAMED[name]
  if (typeof known === 'string') return known
  return format === 'date-time' ? AT : 'text'
}
