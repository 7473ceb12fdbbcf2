import { chargeFee, payoutFee } from '../../ledger/fees.ts'
import { DEFAULT_CHANNEL } from '../../rails/rail.ts'

// The values of the examples of the description.

export type SampleValues = Record<string, unknown>

export const TAG_AND_REST = 'k3v9q0123456789abcdef'
export const SAMPLE_CREATED_AT = '2026-11-22T11:05:00.000Z'
export const SAMPLE_COMPLETED_AT = '2026-11-22T11:05:02.000Z'
/** The sums of the charge and the payout in all samples. Whole UGX. */
export const SAMPLE_CHARGE = { amount: 12_500, fee: chargeFee(12_500), net: 12_500 - chargeFee(12_500) }
export const SAMPLE_PAYOUT = { amount: 30_000, fee: payoutFee(30_000) }
const PAY_URL = 'https://pay.example.com'
const LINK_ID = `lnk_${TAG_AND_REST}`

// The value of a field by its name, in every object. A field that is not listed gets a value by its type.
export const VALUE_BY_FIELD: SampleValues = {
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
    period_key: '2026-11',
    period_label: 'November 2026',
    merchant_name: 'Demo Shop',
    slot: '1',
    channel: DEFAULT_CHANNEL,
    summary: 'the operator was asked to collect the money',
    expected_reqData_any_of: 'ddbh=lnk_1&jqbh=M-1&status=1',
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
const UNFINISHED_VALUES = { completed_at: null, rail_transaction_id: null }

const DELIVERY_VALUES = {
  ...{
    id: `evt_${TAG_AND_REST}`,
    url: 'https://shop.example/hook',
    status: 'sent',
    attempts: 1,
    last_response_code: 200,
    last_error: null,
  },
  ...{ next_attempt_at: null, delivered_at: SAMPLE_COMPLETED_AT },
}

const SAMPLE_ADDRESS: SampleValues = { number: 2, url: 'https://books.example/webhooks', state: 'active' }

// The values of an object by the `$id` of its schema, where they must agree with each other.
export const VALUES_BY_SCHEMA: Readonly<Record<string, SampleValues>> = {
  WebhookAddress: SAMPLE_ADDRESS,
  WebhookAddressWithSecret: SAMPLE_ADDRESS,
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
  ChargeCustomer: { phone: '256700000000', name: 'Aisha Namukasa', email: null },
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
  WebhookDelivery: DELIVERY_VALUES,
  WebhookResend: DELIVERY_VALUES,
  Account: { id: 'mer_k3v9q0123456789abcdef', kyc_status: 'verified' },
  ResolvedAccount: {},
  StatementMoneyIn: { id: `txn_${TAG_AND_REST}` },
  StatementMoneyOut: { id: `pout_${TAG_AND_REST}` },
  DirectDispense: { order_id: 'order-1001' },
  LoggedRequest: {
    ...{
      id: `req_${TAG_AND_REST}`,
      request_id: '01979a5e-7d3c-7b1e-9a40-5c2f8e6d1b07',
      method: 'GET',
      route: '/v1/charges/:id',
    },
    ...{ status: 404, code: 'not_found', error: 'charge not found', duration_ms: 3.4, idempotency_status: null },
    ...{ key_last4: 'v9q0', object_id: `txn_${TAG_AND_REST}`, ignored_parameters: [] },
  },
  StreamedEvent: { sequence: 1042 },
  StreamedEventList: { next_cursor: '1042' },
  EventEnvelope: {
    ...{ id: `evt_${TAG_AND_REST}`, timestamp: 1_795_345_500, event: 'test.ping' },
    data: { merchant: 'demo-shop', message: 'test event', mode: 'test', sent_at: SAMPLE_CREATED_AT },
  },
  BulkResult: {
    ...{ total: 1, accepted: 1, failed: 0 },
    results: [
      {
        ...{ index: 0, ok: true, reference: 'wages-7', replayed: false, retryable: false, metadata: {} },
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
  metadata: {},
}
export const VALUES_WHEN_CREATED: Readonly<Record<string, SampleValues>> = {
  Refund: { refund: { ...REFUND_VALUES, status: 'authorized' } },
  Charge: { ...UNFINISHED_VALUES, status: 'authorized', settled: false, available_on: null },
  Payout: { ...UNFINISHED_VALUES, status: 'authorized' },
}
