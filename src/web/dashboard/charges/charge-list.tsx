import { parseFilters } from '../../../api/http/lists/list-filters.ts'
import { CHARGE_STATUSES, type Charge, computeNet } from '../../../payments/charges/charge.ts'
import { CHARGE_FILTERS, type ChargeFilter } from '../../../payments/charges/charge-filters.ts'
import { listCharges, readChargeTotals } from '../../../payments/charges/find-charges.ts'
import { column } from '../../parts/columns.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { CopyBox, Money } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { HeadWithAsk } from '../ask/ask-form.tsx'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { readViewsOfList, SavedViews } from '../lists/saved-views.tsx'
import { TotalsLine } from '../lists/totals.tsx'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { formatFirstRequest } from '../request-example.ts'
import { CHARGES } from '../texts/charges.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, filters } = CHARGES

const COLUMNS: readonly ListColumn<Charge>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.amount, cell: renderAmountAndNet, figures: true },
  column.status(columns.status, ({ status }) => status),
  column.text(columns.customer, ({ phone, email }) => phone ?? email),
  column.text(columns.reference, ({ reference }) => reference),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

// Amount and net share a column: with amounts of nine digits, two columns leave no room for the time on a screen 1280 pixels wide.
function renderAmountAndNet(charge: Charge) {
  return (
    <>
      <Money amount={charge.amount} />
      <small class="hint below">
        {columns.net} <Money amount={computeNet(charge)} />
      </small>
    </>
  )
}

const FILTERS: readonly ListFilter[] = [
  {
    name: 'status',
    label: filters.status,
    kind: 'select',
    choices: CHARGE_STATUSES.map((status) => ({ value: status, label: status })),
  },
  { name: 'reference', label: filters.reference },
  { name: 'phone', label: filters.phone, kind: 'phone' },
  { name: 'email', label: filters.email },
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
]

export const EXPORT_CHARGES = exportForm('/charges', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parseChargeFilter = (query: DashboardVisit['query']): ChargeFilter => ({
  ...parseFilters(CHARGE_FILTERS, buildPageQuery(query, FILTERS)),
  endingBefore: query.before ?? null,
})

/** Shows the list of charges with its filters. */
export async function showCharges(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const filter = parseChargeFilter(query)
  const [page, totals, views, states] = await Promise.all([
    listCharges(app, caller, filter),
    readChargeTotals(app, caller, filter),
    readViewsOfList(visit, 'charges'),
    readStatesForMode(visit),
  ])
  return listPage({
    title: CHARGES.title,
    ...{ rows: page.data, columns: COLUMNS, href: ({ id }: Charge) => visit.to(`/charges/${id}`) },
    ...{ here: visit.to('/charges'), query, filters: FILTERS, cursors: cursorsOf(page), state },
    head: <HeadWithAsk visit={visit}>{CHARGES.title}</HeadWithAsk>,
    lead: <OperatorNotes states={states} side="collect" />,
    aboveRows: (
      <>
        <SavedViews visit={visit} list="charges" filters={FILTERS} views={views} />
        <TotalsLine totals={totals} />
      </>
    ),
    empty: { title: CHARGES.empty.title, filtered: CHARGES.empty.filtered, says: <NoChargesYet visit={visit} /> },
    below: page.data.length > 0 && <ExportBox of={EXPORT_CHARGES} visit={visit} state={state} />,
  })
}

const NoChargesYet = ({ visit: { mode, app } }: { visit: DashboardVisit }) => (
  <>
    <p>{CHARGES.empty[mode]}</p>
    {mode === 'test' && <CopyBox label={CHARGES.curlLabel} text={formatFirstRequest(app.baseUrl, 'sk_test_...')} />}
  </>
)
