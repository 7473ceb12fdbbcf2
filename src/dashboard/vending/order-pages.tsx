import { readListWindow } from '../../http/lists.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import {
  Empty,
  type Entry,
  Facts,
  Money,
  Note,
  RawJson,
  Said,
  Section,
  Status,
  Time,
  Timeline,
} from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import {
  addressWith,
  type Column,
  cursorsOf,
  type Filter,
  Filters,
  Pager,
  pageQuery,
  Table,
} from '../../pages/table.tsx'
import { readStory, type Story as StoryOf } from '../../reports/story/story.ts'
import { getOrder } from '../../vending/orders/find-orders.ts'
import { listOrders } from '../../vending/orders/list-orders.ts'
import { paymentStatus, presentOrder, type VendingOrder } from '../../vending/orders/order.ts'
import { productNames } from '../../vending/orders/product-names.ts'
import { EventsTold, entriesOf } from '../story/story-parts.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { orders: words } = VENDING
const { columns, facts } = words

export const NEW_ORDER: FormSpec = {
  path: '/orders/new',
  action: 'order.create',
  fields: [
    { name: 'machine', label: words.create.machine, most: 64 },
    { name: 'amount', label: words.create.amount, kind: 'amount', refused: /amount|fee/ },
    { name: 'product', label: words.create.product, most: 64, refused: /goods/ },
  ],
  submit: words.create.submit,
  once: true,
}
const act = (name: string, more: Pick<FormSpec, 'action' | 'submit'> & Partial<FormSpec>): FormSpec => ({
  path: `/orders/:id/${name}`,
  fields: [],
  ...more,
})
export const RETRY = act('retry', { action: 'order.dispense', submit: words.retry.submit })
export const DELIVERED = act('delivered', { action: 'order.decide', submit: words.delivered })
export const NOT_DELIVERED = act('not-delivered', {
  ...{ action: 'order.decide', submit: words.notDelivered, danger: true },
})
export const INVALIDATE = act('invalidate', {
  ...{ action: 'order.invalidate', submit: words.invalidate.submit, danger: true },
})

const isWaiting = ({ vendingStatus, confirmed }: VendingOrder) =>
  vendingStatus === 'dispensing' || (vendingStatus === 'dispensed' && !confirmed)

const COLUMNS: readonly Column<VendingOrder>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.machine, cell: ({ machine }) => machine },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.payment, cell: (order) => <Status word={paymentStatus(order)} /> },
  { title: columns.machineState, cell: ({ vendingStatus }) => <Status word={vendingStatus} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]
const FILTERS: readonly Filter[] = [
  { name: 'machine', label: words.filters.machine },
  {
    name: 'state',
    label: words.filters.state,
    kind: 'select',
    choices: [{ value: 'waiting', label: words.waiting }],
  },
]

/** The log of orders, and in test mode the form that makes one. */
export async function showOrders(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, query, mode } = visit
  const found = await listOrders(app, caller, {
    ...readListWindow(pageQuery(query)),
    endingBefore: query.before ?? null,
    machine: query.machine ?? null,
    waiting: query.state === 'waiting',
  })
  const here = visit.to('/orders')
  const filtered = query.machine !== undefined || query.state !== undefined
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <VendingTabs visit={visit} at="/orders" />
      <Filters filters={FILTERS} query={query} action={here} />
      {found.data.length === 0 ? (
        <Empty title={filtered ? words.filtered : words.empty.title}>
          {!filtered && <p>{words.empty.says}</p>}
        </Empty>
      ) : (
        <Table
          caption={words.title}
          rows={found.data}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/orders/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(found)} query={query} here={here} />
      {mode === 'test' && (
        <Section title={words.create.title} id="new">
          <FormBox
            of={NEW_ORDER}
            visit={visit}
            state={state}
            values={query.machine === undefined ? {} : { machine: query.machine }}
          />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** One order: its payment, what its machine says, and what a person may decide. */
export async function showOrder(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, params, now } = visit
  const order = await getOrder(app, caller, params.id ?? '')
  const view = presentOrder(order, { baseUrl: app.baseUrl, at: now })
  const told = { visit, order, story: await readStory(app, caller, { subject: order.id }) }
  if (visit.part === 'story') return { kind: 'part', body: <Story {...told} /> }
  return shownPage(
    order.id,
    <>
      <div class="top">
        <h1>
          <Money amount={order.amount} />
        </h1>
        <code>{order.id}</code>
      </div>
      <Story {...told} />
      <EventsTold {...told} />
      <Acts visit={visit} order={order} state={state} expired={view.expired} />
      <RawJson value={view} />
    </>,
    { status: state?.status ?? 200 },
  )
}

type Told = { visit: DashboardVisit; order: VendingOrder; story: StoryOf }

function Story({ visit, order, story }: Told) {
  const view = presentOrder(order, { baseUrl: visit.app.baseUrl, at: visit.now })
  return (
    <div class="split" data-live={addressWith(visit.to(`/orders/${order.id}`), { part: 'story' })}>
      <Section title={words.story} aside={<Status word={order.vendingStatus} />}>
        {isWaiting(order) && <Note tone="open">{words.waits}</Note>}
        <Timeline entries={inTime([...movesOf(order), ...entriesOf(visit, story)])} />
      </Section>
      <Section title={words.about}>
        <Facts
          facts={[
            [
              facts.machine,
              <a href={visit.to(`/vending/machines/${encodeURIComponent(order.machine)}`)}>
                {order.machine}
              </a>,
            ],
            [facts.payment, <Status word={view.payment_status} />],
            order.vendingError !== null && [facts.error, <Said text={order.vendingError} />],
            [facts.products, <Said text={productNames(order.goods).join(', ')} />],
            order.unitsDispensed !== null && [facts.units, String(order.unitsDispensed)],
            order.charge !== null && [
              facts.charge,
              <a href={visit.to(`/charges/${order.charge.id}`)}>{order.charge.id}</a>,
            ],
            [facts.reference, <Said text={order.reference} />],
            [facts.expires, <Time at={order.expiresAt} />],
          ]}
        />
        <p>
          <a href={view.pay_url}>{words.pay}</a>
        </p>
        <p>
          <a href={view.display_url}>{words.display}</a>
        </p>
      </Section>
    </div>
  )
}

const inTime = (entries: readonly Entry[]) =>
  entries.toSorted((a, b) => new Date(a.at).getTime() - new Date(b.at).getTime())

function movesOf(order: VendingOrder): Entry[] {
  const { createdAt, dispensedAt, invalidatedAt, confirmed } = order
  const dispensed = { title: confirmed ? words.dispensed : words.assumed, tone: 'good' as const }
  return [
    { at: createdAt, title: words.made },
    ...(invalidatedAt === null
      ? []
      : [{ at: invalidatedAt, title: words.invalidated, tone: 'warn' as const }]),
    ...(dispensedAt === null ? [] : [{ at: dispensedAt, ...dispensed }]),
  ]
}

type ActsProps = { visit: DashboardVisit; order: VendingOrder; state: FormState | null; expired: boolean }

function Acts({ visit, order, state, expired }: ActsProps) {
  const shared = { visit, state, params: { id: order.id } }
  const paid = paymentStatus(order)
  return (
    <div class="actions">
      {paid === 'succeeded' && order.vendingStatus === 'failed' && (
        <FormBox of={RETRY} {...shared}>
          <p class="hint">{words.retry.says}</p>
        </FormBox>
      )}
      {isWaiting(order) && <FormBox of={DELIVERED} {...shared} />}
      {isWaiting(order) && <FormBox of={NOT_DELIVERED} {...shared} />}
      {!expired && (paid === 'unpaid' || paid === 'failed') && (
        <FormBox of={INVALIDATE} {...shared}>
          <p class="hint">{words.invalidate.says}</p>
        </FormBox>
      )}
    </div>
  )
}
