import { countRows } from '../../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { badRequest } from '../../../platform/refusal.ts'
import { dayBounds } from '../../../platform/time/kampala.ts'
import { stateChoices } from '../../../reports/words/states.ts'
import { chooseInvoices, type InvoiceFilter, listInvoices } from '../../../selling/invoices/find-invoices.ts'
import { formatInvoiceNumber, INVOICE_STATUSES, type Invoice } from '../../../selling/invoices/invoice.ts'
import { column } from '../../parts/columns.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Time } from '../../parts/parts.tsx'
import { PERIOD_FILTER } from '../../parts/periods.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { NewButton } from '../lists/create-page.tsx'
import { CountLine } from '../lists/totals.tsx'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardVisit } from '../visit.ts'
import { NEW_INVOICE } from './new-invoice.tsx'

const { columns } = INVOICES

/** The columns of every table of invoices. */
export const INVOICE_COLUMNS: readonly ListColumn<Invoice>[] = [
  column.who(columns.customer, ({ name }) => name ?? INVOICES.forgotten),
  column.what(columns.number, ({ number }) => formatInvoiceNumber(number)),
  column.amount(columns.amount, ({ amount }) => amount),
  column.state(columns.status, 'invoice', (invoice) => invoice),
  {
    title: columns.due,
    // On a phone the column has no heading.
    cell: ({ dueOn }) => (
      <span class="then">
        {columns.dueOn} <Time at={dayBounds(dueOn).start} day />
      </span>
    ),
    at: 'when',
  },
]

const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'status', label: INVOICES.status, kind: 'select' },
    choices: stateChoices('invoice', INVOICE_STATUSES),
  },
  { name: 'customer', label: INVOICES.customer, hint: INVOICES.customerHint },
  PERIOD_FILTER,
  { name: 'from', label: INVOICES.from, kind: 'date' },
  { name: 'until', label: INVOICES.until, kind: 'date' },
]

function parseInvoiceFilter({ query, now }: DashboardVisit): InvoiceFilter {
  const status = INVOICE_STATUSES.find((one) => one === query.status) ?? null
  if (query.status !== undefined && status === null) throw badRequest('status must be one of the states of invoices')
  return {
    ...parseListWindow(buildPageQuery(query, FILTERS, now)),
    ...{ endingBefore: query.before ?? null, status, customer: query.customer ?? null },
  }
}

/** Lists the invoices of the mode. */
export async function showInvoices(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const filter = parseInvoiceFilter(visit)
  const [page, counted] = await Promise.all([
    listInvoices(app, caller, filter),
    countRows(app, caller, chooseInvoices(app, filter)),
  ])
  return listPage({
    title: INVOICES.title,
    ...{ rows: page.data, columns: INVOICE_COLUMNS, href: ({ id }: Invoice) => visit.to(`/invoices/${id}`) },
    ...{ here: visit.to('/invoices'), query, filters: FILTERS, cursors: cursorsOf(page), state },
    aboveRows: <CountLine counted={counted} />,
    empty: INVOICES.empty,
    head: (
      <div class="top">
        <h1>{INVOICES.title}</h1>
        <NewButton visit={visit} of={NEW_INVOICE}>
          {INVOICES.create.title}
        </NewButton>
      </div>
    ),
  })
}
