import { PAYOUT } from '../../../helpers/payments/payouts.ts'
import { change, planned, SCHEDULE, sendAll } from '../../../helpers/payments/schedules.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { CHARGE } from '../../../helpers/service/test-service.ts'
import { dispenseBody } from '../../../helpers/vending/direct-dispenses.ts'
import { failedOrder, makeOrder, orderBody } from '../../../helpers/vending/vending.ts'
import { NO_MACHINE, NO_ORDER } from '../known-refusals.ts'
import { badRequest, invalid, notFound, type Refused } from '../refused.ts'
import { ADDRESSES as addresses, decideAll, type Kind, newAddress, paid, type Side } from './world.ts'

/** What every row of the tables says about its endpoint. */
type Endpoint = {
  path: string
  /** Collections keys are refused. */
  full?: true
}
/** A path with the id of an object in it. */
type ById = {
  of: Kind
  unknown: Refused
  /** Both modes share it, or the key of the other mode is told which one it is: it is no stranger there. */
  sharedByModes?: true
  /** What is said of a text that is no id at all, where that is not `unknown`. */
  malformed?: Refused
}
/** A POST that honours an Idempotency-Key and makes something each time. */
export type Create = Endpoint & {
  key: 'required' | 'optional'
  answer: number
  /** Live keys are refused. */
  testOnly?: true
  body(side: Side): object | Promise<object>
  /** What differs from a right body in a body of the wrong form, and how that is refused. */
  wrong: [object, Refused]
  /** What else differs in another request. */
  others: readonly object[]
  /** What becomes of it before the same request comes again. */
  since?(side: Side, made: any): Promise<unknown>
}
/** A POST that ignores the Idempotency-Key. */
export type Act = Endpoint &
  Partial<ById> & {
    answer: number
    /** What it answers when it is asked for the same again. */
    again: number
    /** An object to which it has not been done yet. */
    target?(side: Side): Promise<string>
    body?: object
    /** Bodies are read, and this one is refused. */
    wrong?: Refused
  }
/** A GET of one object. */
export type One = Endpoint & ById
/** A GET about the merchant as a whole. */
export type Own = Endpoint & { query?: string }

const ID_MISSING = 'no webhook delivery with that event id (deliveries are retained 30 days)'
const amount: [object, Refused] = [{ amount: 'x' }, invalid('amount must be an integer')]
const machine: [object, Refused] = [{ machine: 7 }, invalid('machine must be a string')]

const forTests = { key: 'optional', answer: 201, full: true, testOnly: true } as const

export const CREATES: readonly Create[] = [
  {
    ...{ path: '/v1/charges', key: 'required', answer: 201, wrong: amount },
    body: () => ({ ...CHARGE, customer: { phone: newPayer() } }),
    others: [
      ...[{ customer: { phone: '+256700000000' } }, { reference: 'r' }, { currency: 'UGX' }],
      ...[{ reference: null }, { channel: undefined }],
    ],
    since: decideAll,
  },
  {
    ...{ path: '/v1/payouts', key: 'required', answer: 201, full: true, wrong: amount },
    body: () => ({ ...PAYOUT, recipient: { phone: newPayer() } }),
    others: [
      ...[{ recipient: { phone: '+256700000000' } }, { reference: 'r' }, { currency: 'UGX' }],
      { recipient: { phone: '0700000000', name: 'Jane' } },
    ],
    since: ({ service }) => sendAll(service),
  },
  {
    ...{ path: '/v1/payouts/bulk', key: 'required', answer: 200, full: true },
    body: () => ({ payouts: [{ amount: 1000, phone: newPayer() }] }),
    wrong: [{ payouts: 'x' }, invalid('payouts must be a list')],
    others: [{ payouts: [] }, { payouts: undefined, items: [] }, { channel: 'op1_momo' }],
  },
  {
    ...{ path: '/v1/scheduled-payouts', key: 'required', answer: 201, full: true, wrong: amount },
    body: () => ({ ...SCHEDULE, start_at: '2099-01-01T00:00:00Z' }),
    others: [{ interval: 'hourly' }, { recipients: [] }, { start_at: '2099-01-01' }],
    since: ({ client }, { id }) => change(client, id, 'cancel'),
  },
  {
    ...{ path: '/v1/subaccounts', key: 'optional', answer: 201 },
    body: () => ({ name: 'Farm', payout_phone: newPayer() }),
    wrong: [{ name: 7 }, invalid('name must be a string')],
    others: [{ name: 'Barn' }, { name: undefined }, { external_ref: 'x' }],
  },
  {
    ...{ path: '/v1/payment-links', key: 'optional', answer: 201, wrong: amount },
    body: () => ({ amount: 5000, reference: newPayer() }),
    others: [{ success_url: 'x' }, { reference: undefined }, { allow_multiple_uses: true }],
    since: ({ service }, { id }) =>
      service.rows('update payment_links set switched_off_at = created_at where id = $1', [id]),
  },
  {
    ...{ path: '/v1/vending/orders', key: 'optional', answer: 201, wrong: machine },
    body: () => orderBody({ reference: newPayer() }),
    others: [{ goods: [] }, { machine: 'M-2' }, { success_url: 'x' }],
    since: ({ client }, { order_id }) => client.post(`/v1/vending/orders/${order_id}/invalidate`),
  },
  {
    ...{ path: '/v1/vending/dispense', key: 'optional', answer: 200, wrong: machine },
    body: async (side) => dispenseBody(await paid(side)),
    others: [{ goods: [] }, { machine: 'M-2' }, { charge_id: 'txn_absent' }, { order_id: 'own-2' }],
    since: ({ service }) => service.run('dispense'),
  },
  {
    ...{ path: '/v1/test/clock', ...forTests },
    body: () => ({ advance_seconds: 1 }),
    wrong: [{ advance_seconds: 'x' }, invalid('advance_seconds must be an integer')],
    others: [{ advance_seconds: 2 }, { advance_seconds: undefined, to: '2099-01-01T00:00:00Z' }],
  },
  {
    ...{ path: '/v1/test/funds', ...forTests, wrong: amount, body: () => ({ amount: 1 }) },
    others: [{ amount: 2 }, { currency: 'UGX' }],
  },
  {
    ...{ path: '/v1/test/events', ...forTests, body: () => ({ event: 'charge.succeeded' }) },
    wrong: [{ event: 7 }, invalid('event must be a string')],
    others: [{ event: 'charge.failed' }, { data: { id: 'txn_1' } }],
  },
  {
    ...{ path: '/v1/test/next', ...forTests },
    body: () => ({ kind: 'charge', phone: newPayer(), outcome: 'succeeded' }),
    wrong: [{ count: 'x' }, invalid('count must be an integer')],
    others: [{ kind: 'payout' }, { outcome: 'pending', after_seconds: 1 }, { phone: '+256700000000' }],
    // At most 100 wait at a time.
    since: ({ service }) => service.rows('delete from next_ends'),
  },
  {
    ...{ path: '/v1/test/accounts', ...forTests, body: () => ({ name: 'CI run' }) },
    ...{ wrong: [{ name: 7 }, invalid('name must be a string')], others: [{ name: 'another' }, { name: undefined }] },
  },
  {
    ...{ path: addresses, key: 'optional', full: true, answer: 201, body: newAddress },
    ...{ wrong: [{ url: 7 }, invalid('url must be a string')], others: [{ events: ['payout.sent'] }, { url: 'x' }] },
  },
]

const schedule = {
  ...({ of: 'schedule', full: true, answer: 200, again: 200 } as const),
  unknown: notFound('scheduled payout not found'),
  target: async ({ client }: Side) => (await planned(client)).id,
} as const
const order = { of: 'order', unknown: NO_ORDER } as const
const address = {
  ...({ of: 'address', full: true, unknown: notFound('webhook address not found'), answer: 200, again: 200 } as const),
  target: async (side: Side) => (await side.client.post(addresses, await newAddress(side))).body.id,
}
const charge = { of: 'charge', unknown: notFound('charge not found') } as const

export const ACTS: readonly Act[] = [
  {
    ...{ path: '/v1/charges/:id/refund', ...charge, full: true, sharedByModes: true, answer: 202 },
    ...{ again: 400, target: paid },
  },
  { path: '/v1/scheduled-payouts/:id/pause', ...schedule },
  { path: '/v1/scheduled-payouts/:id/resume', ...schedule },
  { path: '/v1/scheduled-payouts/:id/cancel', ...schedule },
  {
    ...{ path: '/v1/vending/orders/:id/invalidate', ...order, answer: 200, again: 200 },
    target: async ({ client }) => (await makeOrder({ api: client })).order_id,
  },
  {
    ...{ path: '/v1/vending/orders/:id/dispense', ...order, answer: 200, again: 200 },
    // It refuses each time, so each try is a good answer.
    target: async (side) => (await failedOrder(side.service, side, { machine: 'M-REFUSE' })).order_id,
  },
  { path: '/v1/vending/dispense-secret', full: true, answer: 201, again: 201 },
  {
    ...{ path: '/v1/vending/conformance', answer: 200, again: 200 },
    body: { payload: { ddbh: 'lnk_1', status: '1' }, sign: '0'.repeat(32), timestamp: '1724750000000' },
    wrong: badRequest('payload and sign are required'),
  },
  {
    ...{ path: '/v1/webhooks/:event_id/resend', of: 'event', unknown: notFound(ID_MISSING) },
    ...{ malformed: badRequest('event id must look like evt_...'), answer: 202, again: 202 },
    target: async (side) => {
      await paid(side)
      return (await side.client.get('/v1/webhooks?limit=1')).body.data[0].id
    },
  },
  { path: `${addresses}/:id`, ...address },
  { path: `${addresses}/:id/rotate`, ...address },
  { path: `${addresses}/:id/test`, ...address, answer: 202, again: 202 },
  { path: `${addresses}/:id/pause`, ...address },
  { path: `${addresses}/:id/resume`, ...address },
  { path: `${addresses}/:id/remove`, ...address, again: 404 },
]

export const ONES: readonly One[] = [
  { path: `${addresses}/:id`, of: 'address', unknown: address.unknown },
  { path: '/v1/charges/:id', ...charge },
  { path: '/v1/charges/:id/timeline', ...charge },
  { path: '/v1/payouts/:id', of: 'payout', full: true, unknown: notFound('payout not found') },
  { path: '/v1/payouts/:id/timeline', of: 'payout', full: true, unknown: notFound('payout not found') },
  { path: '/v1/scheduled-payouts/:id', of: 'schedule', full: true, unknown: schedule.unknown },
  {
    ...{ path: '/v1/subaccounts/:id', of: 'subaccount', sharedByModes: true },
    unknown: notFound('subaccount not found'),
  },
  { path: '/v1/events/:id', of: 'event', unknown: notFound('event not found') },
  { path: '/v1/payment-links/:id', of: 'link', unknown: notFound('payment link not found') },
  { path: '/v1/vending/orders/:id', ...order },
  {
    ...{ path: '/v1/vending/machines/:machine/goods', of: 'machine', sharedByModes: true },
    unknown: NO_MACHINE,
  },
]

export const OWNS: readonly Own[] = [
  { path: '/v1/me' },
  { path: '/v1/balance' },
  { path: addresses },
  // Their pages have other rules than lists (test/merchants/webhooks/stream/pull.test.ts, test/merchants/request-log/request-list.test.ts).
  { path: '/v1/events' },
  { path: '/v1/requests', full: true },
  { path: '/v1/statements/:period' },
  { path: '/v1/statements/:period.pdf' },
  { path: '/v1/vending/machines/tallies' },
  { path: '/v1/resolve-account', full: true, query: '?phone=0700000000' },
]

/** What the harness does not check, and why. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'GET /v1/requests/:id': 'its neighbours have ids like it (test/merchants/request-log/request-list.test.ts)',
  'GET /v1/test/accounts': 'test keys alone, and few of them (test/payments/testing/test-accounts.test.ts)',
  'GET /v1/test/accounts/:id': 'the same',
  'POST /v1/test/accounts/:id/remove': 'the same',
  'GET /healthz': 'takes no key and shows nothing of a merchant',
  'POST /inbound/vendor/dispense-result':
    'takes no key: the signature in its body decides (vending-callback-*.test.ts)',
}
