import { type ListedCustomer, listCustomers, MAX_PAYMENTS_GATHERED } from '../../../selling/customers/find-customers.ts'
import { column } from '../../parts/columns.tsx'
import { listPage } from '../../parts/list-page.tsx'
import { OutsideText, PhoneNumber } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
import { CUSTOMERS } from '../texts/customers.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns } = CUSTOMERS
const NUMBER_FORMAT = new Intl.NumberFormat('en-US')

const COLUMNS: readonly ListColumn<ListedCustomer>[] = [
  {
    title: columns.who,
    cell: ({ phone, name }) => (name === null ? <PhoneNumber phone={phone} /> : <OutsideText text={name} />),
    at: 'who',
  },
  {
    title: columns.name,
    cell: ({ phone, name }) => (name === null ? null : <PhoneNumber phone={phone} />),
    at: 'what',
  },
  {
    title: columns.payments,
    cell: ({ paid, payments }) => (payments === 0 ? CUSTOMERS.noPayments : CUSTOMERS.paid(paid, payments)),
    at: 'state',
  },
  column.amount(columns.paid, ({ amount }) => amount),
  column.when(columns.last, ({ lastAt }) => lastAt),
]

const FILTERS: readonly ListFilter[] = [{ name: 'part', label: CUSTOMERS.filter, hint: CUSTOMERS.filterHint }]

/** Lists the people who paid last, or those with a part of a number or a name. */
export async function showCustomers(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const customers = await listCustomers(app, caller, query.part ?? null)
  return listPage({
    title: CUSTOMERS.title,
    ...{ rows: customers, columns: COLUMNS, href: ({ phone }: ListedCustomer) => visit.to(`/customers/${phone}`) },
    ...{ here: visit.to('/customers'), query, filters: FILTERS },
    lead: <p class="hint">{CUSTOMERS.lead(NUMBER_FORMAT.format(MAX_PAYMENTS_GATHERED))}</p>,
    empty: CUSTOMERS.empty,
  })
}
