import { countRows } from '../../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { chooseOrderStatement, listOrders, type OrderFilter } from '../../../selling/vending/orders/list-orders.ts'
import { paymentStatus, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Section } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
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
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.machine, cell: ({ machine }) => machine },
  column.money(columns.amount, ({ amount }) => amount),
  column.status(columns.payment, (order) => paymentStatus(order)),
  column.status(columns.machineState, ({ vendingStatus }) => vendingStatus),
  column.time(columns.created, ({ createdAt }) => createdAt),
]
const FILTERS: readonly ListFilter[] = [
  { name: 'machine', label: words.filters.machine },
  {
    name: 'state',
    label: words.filters.state,
    kind: 'select',
    choices: [{ value: 'waiting', label: words.waiting }],
  },
]

export const EXPORT_ORDERS = exportForm('/orders', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parseOrderFilter = (query: DashboardVisit['query']): OrderFilter => ({
  ...parseListWindow(buildPageQuery(query)),
  endingBefore: query.before ?? null,
  machine: query.machine ?? null,
  waiting: query.state === 'waiting',
})

/** Lists the orders, in test mode with the form that makes one. */
export async function showOrders(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query, mode } = visit
  const filter = parseOrderFilter(query)
  const [orders, counted, views] = await Promise.all([
    listOrders(app, caller, filter),
    countRows(app, caller, chooseOrderStatement(filter)),
    readViewsOfList(visit, 'orders'),
  ])
  return listPage({
    title: words.title,
    ...{ rows: orders.data, columns: COLUMNS, href: ({ id }: VendingOrder) => visit.to(`/orders/${id}`) },
    ...{ here: visit.to('/orders'), query, filters: FILTERS, cursors: cursorsOf(orders), state },
    lead: <VendingTabs visit={visit} at="/orders" />,
    aboveRows: (
      <>
        <SavedViews visit={visit} list="orders" filters={FILTERS} views={views} />
        <CountLine counted={counted} />
      </>
    ),
    empty: { ...words.empty, filtered: words.filtered },
    below: (
      <>
        {orders.data.length > 0 && <ExportBox of={EXPORT_ORDERS} visit={visit} state={state} />}
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
      </>
    ),
  })
}
