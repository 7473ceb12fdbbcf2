import { countRows } from '../../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { chooseOrderStatement, listOrders, type OrderFilter } from '../../../selling/vending/orders/list-orders.ts'
import { paymentStatus, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { listProductNames } from '../../../selling/vending/orders/product-names.ts'
import { column } from '../../parts/columns.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { State } from '../../parts/parts.tsx'
import { PERIOD_FILTER } from '../../parts/periods.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { readViewsOfList, SavedViews } from '../lists/saved-views.tsx'
import { CountLine } from '../lists/totals.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'
import { VendingTabs } from './vending-tabs.tsx'

const { orders: words } = VENDING
const { columns } = words

export const NEW_ORDER: FormSpec = {
  path: '/orders/new',
  action: 'order.create',
  fields: [
    { name: 'machine', label: words.create.machine, maxLength: 64 },
    { name: 'amount', label: words.create.amount, kind: 'amount' },
    { name: 'product', label: words.create.product, maxLength: 64, about: ['goods'] },
  ],
  submit: words.create.submit,
  once: true,
}
const COLUMNS: readonly ListColumn<VendingOrder>[] = [
  { title: columns.machine, cell: ({ machine }) => columns.ofMachine(machine), at: 'who' },
  column.what(columns.goods, ({ goods }) => listProductNames(goods).join(', ')),
  column.amount(columns.amount, ({ amount }) => amount),
  { title: columns.payment, cell: (order) => <State of="orderPayment" state={paymentStatus(order)} /> },
  {
    title: columns.machineState,
    cell: (order) =>
      // Nothing is dispensed before it is paid, so there the payment says more.
      paymentStatus(order) === 'succeeded' ? (
        <State of="dispense" state={order.vendingStatus} />
      ) : (
        <State of="orderPayment" state={paymentStatus(order)} />
      ),
    at: 'state',
  },
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]
const FILTERS: readonly ListFilter[] = [
  { name: 'machine', label: words.filters.machine },
  PERIOD_FILTER,
  {
    name: 'state',
    label: words.filters.state,
    kind: 'select',
    choices: [{ value: 'waiting', label: words.waiting }],
  },
]

export const EXPORT_ORDERS = exportForm('/orders', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parseOrderFilter = ({ query, now }: DashboardVisit): OrderFilter => ({
  ...parseListWindow(buildPageQuery(query, FILTERS, now)),
  endingBefore: query.before ?? null,
  machine: query.machine ?? null,
  waiting: query.state === 'waiting',
})

const showOrderForm = createPage(NEW_ORDER, ({ query }) => ({
  title: words.create.title,
  values: { machine: query.machine ?? '' },
}))

/** Shows the form that makes a test order; in live mode the list, because there orders come from machines. */
export const showNewOrder = async (visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> =>
  visit.mode === 'live' ? showOrders(visit, state) : showOrderForm(visit, state)

/** Lists the orders. */
export async function showOrders(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query, mode } = visit
  const filter = parseOrderFilter(visit)
  const [orders, counted, views] = await Promise.all([
    listOrders(app, caller, filter),
    countRows(app, caller, chooseOrderStatement(filter)),
    readViewsOfList(visit, 'orders'),
  ])
  return listPage({
    title: words.title,
    ...{ rows: orders.data, columns: COLUMNS, href: ({ id }: VendingOrder) => visit.to(`/orders/${id}`) },
    ...{ here: visit.to('/orders'), query, filters: FILTERS, cursors: cursorsOf(orders), state },
    head: (
      <div class="top">
        <h1>{words.title}</h1>
        {mode === 'test' && (
          <NewButton
            visit={visit}
            of={NEW_ORDER}
            query={query.machine === undefined ? '' : `?${new URLSearchParams({ machine: query.machine })}`}
          >
            {words.create.title}
          </NewButton>
        )}
      </div>
    ),
    lead: <VendingTabs visit={visit} at="/orders" />,
    aboveRows: (
      <>
        <SavedViews visit={visit} list="orders" filters={FILTERS} views={views} />
        <CountLine counted={counted} />
      </>
    ),
    empty: { ...words.empty, filtered: words.filtered },
    tools: orders.data.length > 0 && <ExportBox of={EXPORT_ORDERS} visit={visit} state={state} />,
  })
}
