import type { ChargeFailure } from '../../../src/rails/rail.ts'
import type {
  AppliedVoucher,
  ClosedView,
  CustomerPayment,
  FailedView,
  FormFault,
  PageSetting,
  PayView,
  ReceiptView,
  ReportView,
  View,
  WaitingView,
} from '../../../src/web/checkout/view.ts'
import { INVOICE } from './example-invoice.ts'
import { exampleStorefront } from './storefront-view.ts'

export type ExampleView = { name: string; view: View; setting: PageSetting }

const LINK = 'lnk_k3x9qab7c2d4e6f8g1h0j'
const CHARGE = 'txn_k3x9qzz7c2d4e6f8g1h0j'
const SHOP = { name: 'Mama Joy Boutique', handle: 'mama-joy' }
const LIVE: PageSetting = { language: 'en', shop: SHOP, mode: 'live', here: `/pay/${LINK}` }
const TEST: PageSetting = { ...LIVE, mode: 'test' }
const FAILURES: readonly ChargeFailure[] = ['insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected']
const PAY_FAULTS: readonly FormFault[] = [
  'phone',
  'landline',
  'email',
  'method',
  'voucher',
  'voucher_changed',
  'voucher_lost',
  'voucher_closed',
  'rail',
  'prompts',
  'busy',
  'elsewhere',
  'card_number',
]
const CLOSED: readonly ClosedView['why'][] = ['inactive', 'expired', 'unknown', 'trouble', 'busy']

const OTHER: Partial<PayView> = { otherOperator: { operator: 'op2_money', chosen: 'op1_momo', sure: 'sure' } }

const pay = (over: Partial<PayView> = {}): PayView => ({
  kind: 'pay',
  linkId: LINK,
  amount: 25_000,
  description: 'Blue kitenge dress, size M',
  invoice: null,
  methods: ['op1_momo'],
  testOnly: [],
  voucher: { applied: null, typed: '' },
  typed: { method: null, phone: '', email: '' },
  token: 'k3x9qab7c2d4e6f8g1h0j',
  fault: null,
  otherOperator: null,
  cancelUrl: 'https://mamajoy.example/cart?a=1&b=2',
  ...over,
})

const applied = (voucher: Partial<AppliedVoucher> = {}) => ({
  applied: { last4: '4821', applied: 10_000, due: 15_000, kept: 0, ...voucher },
  typed: '',
})

const payment = (over: Partial<CustomerPayment> = {}): CustomerPayment => ({
  linkId: LINK,
  charge: null,
  amount: 25_000,
  giftCard: 0,
  due: 25_000,
  method: 'op1_momo',
  phone: '+256 7•• ••• 001',
  description: 'Blue kitenge dress, size M',
  ...over,
})

const waiting = (over: Partial<WaitingView> = {}): WaitingView => ({
  kind: 'waiting',
  payment: payment(),
  secondsLeft: 42,
  cancelUrl: 'https://mamajoy.example/cart',
  ...over,
})

const failed = (over: Partial<FailedView> = {}): FailedView => ({
  kind: 'failed',
  payment: payment(),
  reason: 'timeout',
  mayRetry: true,
  expired: false,
  cancelUrl: 'https://mamajoy.example/cart',
  ...over,
})

const receipt = (over: Partial<ReceiptView> = {}): ReceiptView => ({
  kind: 'receipt',
  look: 'fresh',
  payment: payment(),
  refund: null,
  machine: null,
  chargeId: CHARGE,
  operatorReference: '23456789012',
  reference: 'ORDER-1042',
  paidAt: new Date('2026-11-21T12:34:56Z'),
  successUrl: null,
  forwardSeconds: null,
  ...over,
})

const ANSWER = { says: 'It was at the gate.\nIt leaves again.', saidAt: new Date('2026-11-22T08:00:00Z') }

const report = (over: Partial<ReportView> = {}): ReportView => ({
  kind: 'report',
  payment: payment({ charge: CHARGE }),
  chargeId: CHARGE,
  typed: { reason: '', details: '', contact: '' },
  fault: null,
  answers: [],
  ...over,
})

const FRONT: PageSetting = { ...LIVE, here: '/pay/@mama-joy' }
const STATUS: PageSetting = { ...LIVE, here: `/pay/${LINK}/status` }
const live = (name: string, view: View, setting: PageSetting = LIVE): ExampleView => ({ name, view, setting })

const PAY: readonly ExampleView[] = [
  live('pay', pay()),
  live('pay without extras', pay({ description: null, voucher: null, cancelUrl: null })),
  live(
    'pay in test mode',
    pay({ methods: ['op1_momo', 'op2_money', 'card'], testOnly: ['op2_money', 'card'], voucher: null }),
    TEST,
  ),
  live('pay with voucher', pay({ voucher: applied() })),
  live('pay with voucher of more', pay({ voucher: applied({ applied: 25_000, due: 0, kept: 15_000 }) })),
  live('pay with a number of another operator', pay(OTHER)),
  live('pay an invoice', pay({ description: null, invoice: INVOICE })),
  live('pay a late invoice', pay({ description: null, invoice: { ...INVOICE, name: null, note: null, isLate: true } })),
  ...PAY_FAULTS.map((fault) => {
    const typed = { method: null, phone: '0772 12', email: fault === 'email' ? 'joy(at)example' : '' }
    const voucher = fault === 'voucher_changed' ? applied() : { applied: null, typed: 'GIFT-12' }
    const methods: PayView['methods'] = fault === 'method' ? ['op1_momo', 'op2_money'] : ['op1_momo']
    return live(`pay fault ${fault}`, pay({ fault, typed, voucher, methods }))
  }),
]

const AFTER: readonly ExampleView[] = [
  live('waiting', waiting(), STATUS),
  live('waiting in test mode', waiting({ payment: payment({ method: 'op2_money' }) }), { ...TEST }),
  live('waiting long', waiting({ secondsLeft: 0, payment: payment({ charge: CHARGE }) }), STATUS),
  ...FAILURES.map((reason) => live(`failed ${reason}`, failed({ reason }), STATUS)),
  live('failed for good', failed({ mayRetry: false, payment: payment({ giftCard: 10_000, due: 15_000 }) })),
  live('failed past the time of an order', failed({ mayRetry: false, expired: true }), STATUS),
  live('receipt', receipt(), STATUS),
  ...(['releasing', 'dispensed', 'failed'] as const).map((says) =>
    live(`receipt of a machine, ${says}`, receipt({ machine: { says } }), STATUS),
  ),
  live(
    'receipt of a machine, partly',
    receipt({ machine: { says: 'partly', delivered: { delivered: 1, products: 2 } } }),
    STATUS,
  ),
  live(
    'receipt with the way on',
    receipt({ successUrl: 'https://mamajoy.example/thanks?order=1042&x=%20', forwardSeconds: 5 }),
    STATUS,
  ),
  live('receipt earlier', receipt({ look: 'earlier', successUrl: 'https://mamajoy.example/' }), STATUS),
  ...(['on_its_way', 'sent', 'failed', 'card'] as const).map((state) =>
    live(`receipt refunded, ${state}`, receipt({ look: 'earlier', refund: { state, amount: 25_000 } }), STATUS),
  ),
  live(
    'receipt refunded, card and phone',
    receipt({
      look: 'printable',
      refund: { state: 'sent', amount: 15_000 },
      payment: payment({ giftCard: 10_000, due: 15_000 }),
    }),
    STATUS,
  ),
  live('receipt printable', receipt({ look: 'printable', payment: payment({ giftCard: 10_000, due: 15_000 }) }), {
    ...LIVE,
    here: `/pay/${LINK}/receipt`,
  }),
  live(
    'receipt of a gift card alone',
    receipt({ payment: payment({ giftCard: 25_000, due: 0, phone: null }), operatorReference: null }),
    STATUS,
  ),
]

const REST: readonly ExampleView[] = [
  live('report', report()),
  ...(['reason', 'details', 'contact', 'card_number', 'reported'] as const).map((fault) =>
    live(
      `report fault ${fault}`,
      report({ fault, typed: { reason: 'other', details: 'It never came.', contact: '0772' } }),
    ),
  ),
  ...[false, true].map((stopped) =>
    live(`mails ${stopped ? 'stopped' : 'asked'}`, { kind: 'mails', linkId: LINK, key: 'a1', stopped }),
  ),
  live('reported', { kind: 'reported', payment: payment(), answers: [] }),
  live('report answered', report({ answers: [ANSWER, ANSWER] })),
  ...CLOSED.map((why) =>
    live(
      `closed ${why}`,
      {
        kind: 'closed',
        why,
        cancelUrl: why === 'expired' ? 'https://mamajoy.example/cart' : null,
        storefront: why === 'inactive' ? '/pay/@mama-joy' : null,
      },
      why === 'unknown' ? { ...LIVE, shop: null } : LIVE,
    ),
  ),
  live('storefront', exampleStorefront(), FRONT),
  live('storefront last page', exampleStorefront({ nextHref: null, firstHref: '/pay/@mama-joy' }), FRONT),
  live('storefront empty', exampleStorefront({ items: [], nextHref: null, ownAmount: null }), FRONT),
  ...(['amount', 'amount_over'] as const).map((fault) => {
    const ownAmount = {
      action: '/pay/@mama-joy/pay',
      typed: fault === 'amount' ? '20' : '5000000',
      least: 500,
      most: 1_000_000,
      fault,
    }
    return live(`storefront fault ${fault}`, exampleStorefront({ items: [], nextHref: null, ownAmount }), FRONT)
  }),
]

/** Every page, in every variant that a customer can meet. */
export const EXAMPLE_VIEWS: readonly ExampleView[] = [...PAY, ...AFTER, ...REST]
