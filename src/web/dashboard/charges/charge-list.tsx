import { parseFilters } from '../../../api/http/lists/list-filters.ts'
import { CHARGE_STATUSES, type Charge, computeNet } from '../../../payments/charges/charge.ts'
import { CHARGE_PAGE_FILTERS, type ChargeFilter } from '../../../payments/charges/charge-filters.ts'
import { listCharges, narrowChargeFilter, readChargeTotals } from '../../../payments/charges/find-charges.ts'
import { isLiveChannel } from '../../../rails/live-rails.ts'
import { CHANNELS, CHARGE_FAILURES } from '../../../rails/rail.ts'
import { CHANNEL_NAMES } from '../../../reports/words/channels.ts'
import { CHARGE_FAILURE_WORDS } from '../../../reports/words/failures.ts'
import { stateChoices } from '../../../reports/words/states.ts'
import { readLinkNames } from '../../../selling/storefront/name-links.ts'
import { column } from '../../parts/columns.tsx'
import { SearchedBackTo } from '../../parts/filters.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { CopyBox } from '../../parts/parts.tsx'
import { PERIOD_FILTER } from '../../parts/periods.ts'
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

const columnsWith = (names: ReadonlyMap<string, string>): readonly ListColumn<Charge>[] => [
  column.person(columns.customer, ({ phone, email }) => ({ phone, name: email })),
  column.what(columns.what, ({ reference, paymentLinkId }) => names.get(paymentLinkId ?? '') ?? reference),
  column.amount(columns.amount, ({ amount }) => amount),
  column.money(columns.net, computeNet),
  column.state(columns.status, 'charge', (charge) => charge),
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

const FILTERS: readonly ListFilter[] = [
  { name: 'part', label: filters.part, hint: filters.partHint },
  {
    name: 'status',
    label: filters.status,
    kind: 'select',
    choices: stateChoices('charge', CHARGE_STATUSES),
  },
  PERIOD_FILTER,
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
  { name: 'amount_from', label: filters.amountFrom, kind: 'amount' },
  { name: 'amount_until', label: filters.amountUntil, kind: 'amount' },
  {
    name: 'channel',
    label: filters.channel,
    kind: 'select',
    choices: CHANNELS.map((value) => ({ value, label: CHANNEL_NAMES[value] })),
  },
  {
    name: 'reason',
    label: filters.reason,
    kind: 'select',
    choices: CHARGE_FAILURES.map((value) => ({ value, label: CHARGE_FAILURE_WORDS[value].brief })),
  },
  { name: 'reference', label: filters.reference },
  { name: 'phone', label: filters.phone, kind: 'phone' },
  { name: 'email', label: filters.email },
]

/** The filters as this visit shows them: in test mode a channel that live mode does not have is marked. */
const filtersOf = ({ app, mode }: DashboardVisit): readonly ListFilter[] =>
  FILTERS.map((filter) =>
    filter.name === 'channel' && mode === 'test' ? { ...filter, choices: markTestOnly(app) } : filter,
  )

const markTestOnly = (app: DashboardVisit['app']) =>
  CHANNELS.map((value) => {
    const label = CHANNEL_NAMES[value]
    return { value, label: isLiveChannel(app, value) ? label : filters.testOnly(label) }
  })

export const EXPORT_CHARGES = exportForm('/charges', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
const parseChargeFilter = ({ query, now }: DashboardVisit): ChargeFilter => ({
  ...parseFilters(CHARGE_PAGE_FILTERS, buildPageQuery(query, FILTERS, now)),
  endingBefore: query.before ?? null,
})

/** Reads which charges the page and its file show. Throws Refusal. */
export const readChargeFilter = (visit: DashboardVisit) =>
  narrowChargeFilter(visit.app, visit.caller, parseChargeFilter(visit))

/** Shows the list of charges with its filters. */
export async function showCharges(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const { filter, searchedBackTo } = await readChargeFilter(visit)
  const [page, totals, views, states] = await Promise.all([
    listCharges(app, caller, filter),
    readChargeTotals(app, caller, filter),
    readViewsOfList(visit, 'charges'),
    readStatesForMode(visit),
  ])
  const names = await readLinkNames(
    app,
    caller.merchantId,
    page.data.map(({ paymentLinkId }) => paymentLinkId),
  )
  return listPage({
    title: CHARGES.title,
    ...{ rows: page.data, columns: columnsWith(names), href: ({ id }: Charge) => visit.to(`/charges/${id}`) },
    ...{ here: visit.to('/charges'), query, filters: filtersOf(visit), cursors: cursorsOf(page), state },
    head: <HeadWithAsk visit={visit}>{CHARGES.title}</HeadWithAsk>,
    lead: <OperatorNotes states={states} side="collect" />,
    aboveRows: (
      <>
        <SavedViews visit={visit} list="charges" filters={FILTERS} views={views} />
        <TotalsLine totals={totals} />
        <SearchedBackTo query={query} here={visit.to('/charges')} backTo={searchedBackTo} />
      </>
    ),
    empty: { title: CHARGES.empty.title, filtered: CHARGES.empty.filtered, says: <NoChargesYet visit={visit} /> },
    tools: page.data.length > 0 && <ExportBox of={EXPORT_CHARGES} visit={visit} state={state} />,
  })
}

const NoChargesYet = ({ visit: { mode, app } }: { visit: DashboardVisit }) => (
  <>
    <p>{CHARGES.empty[mode]}</p>
    {mode === 'test' && <CopyBox label={CHARGES.curlLabel} text={formatFirstRequest(app.baseUrl, 'sk_test_...')} />}
  </>
)
