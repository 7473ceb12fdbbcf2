import type {
  Charge,
  Gateway,
  LoggedRequest,
  Payout,
  StreamedEvent,
  WebhookDelivery,
} from '../../typescript/src/gateway-client.ts'
import type { Options } from './command.ts'
import { Refused } from './faults.ts'
import type { Column } from './table.ts'

export type Page<Row> = {
  data: Row[]
  has_more: boolean
  next_cursor: string | null
  lastResponse: { ignored: string[] }
}

/** What is listed and read by its id. `filters` are those of the API, by their names there; `id` names whose id is asked for. */
export type Resource<Row> = {
  noun: string
  plural: string
  summary: string
  id: string
  filters: Options
  columns: readonly Column<Row>[]
  list(gateway: Gateway, query: object): PromiseLike<Page<Row>>
  get(gateway: Gateway, id: string, query: { expand?: string }): Promise<object>
  expands?: string
}

export const MOST_ROWS_OF_PAGE = 100
// A delivery is stored with its event, whose time is cut to whole seconds.
const SAME_MOMENT_MS = 2000
const MOST_OF_A_MOMENT = 1000

const TIMES: Options = {
  created_after: { value: 'TIME', help: 'not before this time, ISO 8601' },
  created_before: { value: 'TIME', help: 'not after this time, ISO 8601' },
}
const CURSORS: Options = {
  starting_after: { value: 'CURSOR', help: 'go on behind this cursor or id' },
  ending_before: { value: 'ID', help: 'the rows just newer than this one' },
}
const REFERENCE: Options = { reference: { value: 'TEXT', help: 'your own name for it' } }
const PHONE: Options = { phone: { value: 'PHONE', help: 'in any written form' } }
const AMOUNT: Options = { amount: { value: 'UGX', help: 'exactly so many shillings' } }
const STATUS: Options = { status: { value: 'A,B', help: 'one state, or several with commas' } }
const REASON: Options = { failure_reason: { value: 'CODE', help: 'why it failed' } }

const CHARGE_COLUMNS: readonly Column<Charge>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'STATUS', cell: ({ status }) => status },
  { head: 'AMOUNT', cell: ({ amount }) => amount },
  { head: 'FEE', cell: ({ fee }) => fee },
  { head: 'PHONE', cell: ({ customer }) => customer.phone },
  { head: 'REFERENCE', cell: ({ reference }) => reference },
  { head: 'REASON', cell: ({ failure_reason }) => failure_reason },
  { head: 'CREATED', cell: ({ created_at }) => created_at },
]

export const charges: Resource<Charge> = {
  ...{ noun: 'charge', plural: 'charges', id: 'ID', summary: 'payments of customers', expands: 'payment_link,refund' },
  filters: {
    ...{ ...STATUS, ...REFERENCE, ...PHONE, email: { value: 'MAIL', help: 'of the customer' } },
    ...{ ...AMOUNT, channel: { value: 'NAME', help: 'such as op1_momo' }, ...REASON },
    payment_link: { value: 'ID', help: 'made on this link' },
    ...{ ...TIMES, ...CURSORS },
  },
  columns: CHARGE_COLUMNS,
  list: (gateway, query) => gateway.charges.list(query),
  get: (gateway, id, query) => gateway.charges.retrieve(id, query),
}

export const payouts: Resource<Payout> = {
  ...{
    noun: 'payout',
    plural: 'payouts',
    id: 'ID',
    summary: 'money that you send',
    expands: 'charge,scheduled_payout',
  },
  filters: {
    ...{ ...STATUS, ...REFERENCE, ...PHONE, ...AMOUNT, ...REASON },
    batch: { value: 'ID', help: 'of this bulk call' },
    schedule: { value: 'ID', help: 'of this schedule' },
    ...{ ...TIMES, ...CURSORS },
  },
  columns: [
    { head: 'ID', cell: ({ id }) => id },
    { head: 'STATUS', cell: ({ status }) => status },
    { head: 'KIND', cell: ({ kind }) => kind },
    { head: 'AMOUNT', cell: ({ amount }) => amount },
    { head: 'FEE', cell: ({ fee }) => fee },
    { head: 'PHONE', cell: ({ recipient_phone }) => recipient_phone },
    { head: 'REFERENCE', cell: ({ reference }) => reference },
    { head: 'REASON', cell: ({ failure_reason }) => failure_reason },
    { head: 'CREATED', cell: ({ created_at }) => created_at },
  ],
  list: (gateway, query) => gateway.payouts.list(query),
  get: (gateway, id, query) => gateway.payouts.retrieve(id, query),
}

/** The API shows a refund with its charge. */
export const refunds: Resource<Charge> = {
  ...{ noun: 'refund', plural: 'refunds', id: 'CHARGE', summary: 'charges that were given back' },
  filters: { ...REFERENCE, ...PHONE, ...AMOUNT, ...TIMES, ...CURSORS },
  columns: [
    { head: 'CHARGE', cell: ({ id }) => id },
    { head: 'AMOUNT', cell: ({ amount }) => amount },
    { head: 'PAYOUT', cell: ({ refund_id }) => refund_id },
    { head: 'STATUS', cell: ({ refund }) => refund?.status },
    { head: 'PHONE', cell: ({ customer }) => customer.phone },
    { head: 'REFERENCE', cell: ({ reference }) => reference },
    { head: 'REFUNDED', cell: ({ refunded_at }) => refunded_at },
  ],
  list: (gateway, query) => gateway.charges.list({ ...query, status: ['refunded'], expand: 'refund' }),
  get: async (gateway, id) => {
    const charge = await gateway.charges.retrieve(id, { expand: 'refund' })
    if (charge.status !== 'refunded') throw new Refused(`${id} was not given back: it is ${charge.status}`)
    return charge
  },
}

export const events: Resource<StreamedEvent> = {
  ...{ noun: 'event', plural: 'events', id: 'ID', summary: 'what has happened, oldest first' },
  filters: {
    event: { value: 'A,B', help: 'one event, or several with commas' },
    starting_after: { value: 'CURSOR', help: 'go on behind this number' },
  },
  columns: [
    { head: 'NUMBER', cell: ({ sequence }) => (sequence === null ? null : String(sequence)) },
    { head: 'ID', cell: ({ envelope }) => envelope.id },
    { head: 'EVENT', cell: ({ envelope }) => envelope.event },
    { head: 'ABOUT', cell: ({ envelope }) => String((envelope.data as Record<string, unknown>).id ?? '') },
    { head: 'TIME', cell: ({ envelope }) => new Date(envelope.timestamp * 1000).toISOString() },
  ],
  // The client types each event by its name; here they are only shown.
  list: (gateway, query) => gateway.events.list(query) as PromiseLike<unknown> as PromiseLike<Page<StreamedEvent>>,
  get: (gateway, id) => gateway.events.retrieve(id),
}

export const deliveries: Resource<WebhookDelivery> = {
  ...{ noun: 'delivery', plural: 'deliveries', id: 'EVENT', summary: 'webhooks as they were sent to you' },
  filters: {
    ...{ ...STATUS, event: { value: 'NAME', help: 'only this event' } },
    address: { value: 'ID', help: 'those of one of your addresses' },
    ...{ ...TIMES, ...CURSORS },
  },
  columns: [
    { head: 'EVENT ID', cell: ({ event_id }) => event_id },
    { head: 'EVENT', cell: ({ event }) => event },
    { head: 'STATUS', cell: ({ status }) => status },
    { head: 'ATTEMPTS', cell: ({ attempts }) => attempts },
    {
      head: 'ANSWER',
      cell: ({ last_response_code }) => (last_response_code === null ? null : `${last_response_code}`),
    },
    { head: 'CREATED', cell: ({ created_at }) => created_at },
    { head: 'FAULT', cell: ({ last_error }) => last_error },
  ],
  list: (gateway, query) => gateway.deliveries.list(query),
  get: findDelivery,
}

export const requests: Resource<LoggedRequest> = {
  ...{ noun: 'request', plural: 'requests', id: 'ID', summary: 'what your keys asked, and how it was answered' },
  filters: {
    status: { value: 'CLASS', help: '2xx, 4xx, 5xx or refused', choices: ['2xx', '4xx', '5xx', 'refused'] },
    method: { value: 'NAME', help: 'GET or POST', choices: ['GET', 'POST'] },
    route: { value: 'PATTERN', help: 'such as /v1/charges/:id' },
    code: { value: 'CODE', help: 'why it was refused, such as not_found' },
    key_last4: { value: 'TEXT', help: 'the last four characters of the key' },
    request_id: { value: 'TEXT', help: 'the X-Request-ID of the answer' },
    ...{ ...TIMES, ...CURSORS },
  },
  columns: [
    { head: 'TIME', cell: ({ created_at }) => created_at },
    { head: 'STATUS', cell: ({ status }) => String(status) },
    { head: 'METHOD', cell: ({ method }) => method },
    { head: 'ROUTE', cell: ({ route }) => route },
    { head: 'CODE', cell: ({ code }) => code },
    { head: 'MS', cell: ({ duration_ms }) => duration_ms },
    { head: 'KEY', cell: ({ key_last4 }) => `...${key_last4}` },
    { head: 'REQUEST ID', cell: ({ request_id }) => request_id },
    { head: 'IGNORED', cell: ({ ignored_parameters }) => ignored_parameters.join(', ') },
  ],
  list: (gateway, query) => gateway.requests.list(query),
  get: (gateway, id) => gateway.requests.retrieve(id),
}

/** The API lists deliveries alone: that of an event is among those of its second. */
async function findDelivery(gateway: Gateway, id: string): Promise<WebhookDelivery> {
  const { envelope } = await gateway.events.retrieve(id)
  const atMs = envelope.timestamp * 1000
  const moment = {
    created_after: new Date(atMs - SAME_MOMENT_MS).toISOString(),
    created_before: new Date(atMs + SAME_MOMENT_MS).toISOString(),
  }
  const around = await gateway.deliveries
    .list({ ...moment, limit: MOST_ROWS_OF_PAGE })
    .toArray({ limit: MOST_OF_A_MOMENT })
  const found = around.find(({ event_id }) => event_id === id)
  if (found === undefined) throw new Refused(`${id} is not among the deliveries of your first address`)
  return found
}
