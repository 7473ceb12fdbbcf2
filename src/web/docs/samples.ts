import type { TSchema } from 'typebox'
import { chargeFee, payoutFee } from '../../ledger/fees.ts'

type SampleValues = Record<string, unknown>
type SampleSchema = {
  $id?: string
  type?: string | readonly string[]
  format?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly SampleSchema[]
  items?: SampleSchema
  properties?: Record<string, SampleSchema>
  required?: readonly string[]
  patternProperties?: Record<string, SampleSchema>
  additionalProperties?: SampleSchema
  description?: string
}

const TAG_AND_REST = 'k3v9q0123456789abcdef'
export const SAMPLE_CREATED_AT = '2026-11-22T11:05:00.000Z'
export const SAMPLE_COMPLETED_AT = '2026-11-22T11:05:02.000Z'
/** The sums of the charge and the payout in all samples. Whole UGX. */
export const SAMPLE_CHARGE = { amount: 12_500, fee: chargeFee(12_500), net: 12_500 - chargeFee(12_500) }
export const SAMPLE_PAYOUT = { amount: 30_000, fee: payoutFee(30_000) }
const PAY_URL = 'https://pay.example.com'
const LINK_ID = `lnk_${TAG_AND_REST}`

// The value of a field by its name, in every object. A field that is not listed gets a value by its type.
const VALUE_BY_FIELD: SampleValues = {
  ...{
    amount: SAMPLE_CHARGE.amount,
    fee: SAMPLE_CHARGE.fee,
    net: SAMPLE_CHARGE.net,
    gift_card_amount: 0,
    gift_card_restored: 0,
    available_on: SAMPLE_COMPLETED_AT,
  },
  ...{
    completed_at: SAMPLE_COMPLETED_AT,
    reference: 'order-1042',
    merchant_reference: 'order-1042',
    settled: true,
  },
  ...{ rail_reference: '7b1c4e0a-2f6d-4c1b-9d3e-5a8f0b6c7d21', rail_transaction_id: '2000000417' },
  ...{
    recipient_phone: '256700000000',
    recipient_name: 'A. Namukasa',
    phone: '256700000000',
    msisdn: '256700000000',
  },
  ...{ registered_name: 'NAMUKASA AISHA', handle: 'demo-shop', merchant: 'demo-shop', message: 'test event' },
  ...{
    machine: 'M-1',
    qr_png_url: `${PAY_URL}/pay/${LINK_ID}/qr.png`,
    qr_svg_url: `${PAY_URL}/pay/${LINK_ID}/qr.svg`,
  },
  ...{
    url: `${PAY_URL}/pay/${LINK_ID}`,
    pay_url: `${PAY_URL}/pay/${LINK_ID}`,
    qr_content: `${PAY_URL}/pay/${LINK_ID}`,
  },
  ...{
    status_url: `${PAY_URL}/v1/vending/orders/${LINK_ID}`,
    state_url: `${PAY_URL}/vending/display/${LINK_ID}/state.json`,
  },
  ...{
    display_url: `${PAY_URL}/vending/display/${LINK_ID}`,
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
const MAX_DEPTH = 8

/** Builds an example of this schema. `values` are the values that its fields must have. */
function buildSample(schema: TSchema, values: SampleValues = {}): unknown {
  return buildValue(schema as SampleSchema, { name: '', depth: 0, values })
}

const UNFINISHED_VALUES = { completed_at: null, rail_transaction_id: null }

// The values of an object by the `$id` of its schema, where they must agree with each other.
const VALUES_BY_SCHEMA: Readonly<Record<string, SampleValues>> = {
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
      ...SAMPLE_PAYOUT,
    },
    ...{ reference: 'wages-7', charge_id: null, batch_id: null, scheduled_payout_id: null },
  },
  RefundPayout: { status: 'authorized', amount: SAMPLE_CHARGE.amount },
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
    ...{ next_attempt_at: null, delivered_at: SAMPLE_COMPLETED_AT },
  },
  Account: { id: 'mer_k3v9q0123456789abcdef', kyc_status: 'verified' },
  ResolvedAccount: {},
  BulkResult: {
    ...{ total: 1, accepted: 1, failed: 0 },
    results: [
      {
        ...{ index: 0, ok: true, reference: 'wages-7', replayed: false, retryable: false },
        ...{ id: `pout_${TAG_AND_REST}`, status: 'authorized', amount: SAMPLE_PAYOUT.amount },
      },
    ],
  },
}
// The response that creates an object never has its outcome.
const REFUND_VALUES = {
  id: `pout_${TAG_AND_REST}`,
  amount: SAMPLE_CHARGE.amount,
  fee: payoutFee(SAMPLE_CHARGE.amount),
  currency: 'UGX',
  recipient_phone: '256700000000',
}
const VALUES_WHEN_CREATED: Readonly<Record<string, SampleValues>> = {
  Refund: { refund: { ...REFUND_VALUES, status: 'authorized' } },
  Charge: { ...UNFINISHED_VALUES, status: 'authorized', settled: false, available_on: null },
  Payout: { ...UNFINISHED_VALUES, status: 'authorized' },
}

/** Builds an example of the response of an endpoint with this status. */
export function buildSampleAnswer(schema: TSchema, status: number): unknown {
  const { $id = '' } = schema as SampleSchema
  return buildSample(schema, status > 200 ? VALUES_WHEN_CREATED[$id] : {})
}

type SampleInput = { name: string; depth: number; values?: SampleValues }

function buildValue(part: SampleSchema, { name, depth, values = {} }: SampleInput): unknown {
  if (part.const !== undefined) return part.const
  if (part.enum !== undefined) return part.enum.includes(VALUE_BY_FIELD[name]) ? VALUE_BY_FIELD[name] : part.enum[0]
  if (part.anyOf !== undefined) return buildChoice(part.anyOf, { name, depth, values })
  switch ([part.type].flat()[0]) {
    case 'object':
      return depth > MAX_DEPTH ? {} : buildObject(part, { name, depth, values })
    case 'array':
      return part.items === undefined ? [] : [buildValue(part.items, { name, depth: depth + 1 })]
    case 'integer':
    case 'number':
      return typeof VALUE_BY_FIELD[name] === 'number' ? VALUE_BY_FIELD[name] : 0
    case 'boolean':
      return VALUE_BY_FIELD[name] ?? true
    default:
      return buildText(part, name)
  }
}

/** Builds the first choice that is not null. A nullable field for which no value is listed is null. */
function buildChoice(choices: readonly SampleSchema[], { name, depth, values }: SampleInput): unknown {
  const isKnown = VALUE_BY_FIELD[name] != null || Object.keys(values ?? {}).length > 0
  const maybeNull = choices.some(({ type }) => type === 'null')
  const [first] = choices.filter(({ type }) => type !== 'null')
  return maybeNull && !isKnown ? null : buildValue(first ?? {}, { name, depth, ...(values ? { values } : {}) })
}

function buildObject(part: SampleSchema, { depth, values: requiredValues = {} }: SampleInput): SampleValues {
  const { $id = '', properties = {}, required = [] } = part
  const values: SampleValues = { ...VALUES_BY_SCHEMA[$id], ...requiredValues }
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || name in values)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      name in values ? values[name] : buildValue(field, { name, depth: depth + 1 }),
    ]),
  )
}

function buildText({ format, description = '' }: SampleSchema, name: string): string {
  const [, prefix] = /starts with `([a-z]+_)`/.exec(description) ?? []
  if (prefix !== undefined) return `${prefix}${TAG_AND_REST}`
  const known = VALUE_BY_FIELD[name]
  if (typeof known === 'string') return known
  return format === 'date-time' ? SAMPLE_CREATED_AT : 'text'
}
