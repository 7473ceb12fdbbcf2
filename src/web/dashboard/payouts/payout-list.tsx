import { mayDo } from '../../../api/access/allow.ts'
import { parseFilters } from '../../../api/http/lists/list-filters.ts'
import { listPayouts, narrowPayoutFilter, readPayoutTotals } from '../../../payments/payouts/find-payouts.ts'
import { PAYOUT_KINDS, PAYOUT_STATUSES, type Payout } from '../../../payments/payouts/payout.ts'
import { PAYOUT_PAGE_FILTERS, type PayoutFilter } from '../../../payments/payouts/payout-filters.ts'
import { countPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import { PAYOUT_FAILURES } from '../../../rails/rail.ts'
import { PAYOUT_FAILURE_WORDS } from '../../../reports/words/failures.ts'
import { stateChoices } from '../../../reports/words/states.ts'
import { column } from '../../parts/columns.tsx'
import { SearchedBackTo } from '../../parts/filters.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Note, OutsideText, PhoneNumber, State, Status } from '../../parts/parts.tsx'
import { PERIOD_FILTER } from '../../parts/periods.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { readViewsOfList, SavedViews } from '../lists/saved-views.tsx'
import { TotalsLine } from '../lists/totals.tsx'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { PAYOUTS } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, filters, kinds } = PAYOUTS
const MAX_PREPARED_COUNTED = 100

/** The columns of the list. `waits`: why those that are not sent yet wait. */
const buildColumns = (waits: ReadonlyMap<string, PayoutWait>): readonly ListColumn<Payout>[] => [
  {
    title: columns.to,
    cell: ({ recipientPhone, recipientName }) =>
      recipientName === '' ? <PhoneNumber phone={recipientPhone} /> : <OutsideText text={recipientName} />,
    at: 'who',
  },
  { title: columns.phone, cell: ({ recipientPhone }) => <PhoneNumber phone={recipientPhone} /> },
  column.what(columns.what, ({ reference, kind }) => reference ?? kinds[kind]),
  column.amount(columns.amount, ({ amount }) => amount),
  column.money(columns.fee, ({ fee }) => fee),
  {
    title: columns.status,
    cell: (payout) => {
      const wait = waits.get(payout.id)
      return wait === undefined ? (
        <State of="payout" state={payout.status} reason={payout.failureReason} />
      ) : (
        <Status word={PAYOUTS.waits[wait.kind].brief} tone="warn" />
      )
    },
    at: 'state',
  },
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

/** Says beside a status why the payout is not sent yet. */
export const WaitHint = ({ wait }: { wait: PayoutWait | undefined }) =>
  wait === undefined ? null : <div class="hint">{PAYOUTS.waits[wait.kind].brief}</div>

const FILTERS: readonly ListFilter[] = [
  { name: 'part', label: filters.part, hint: filters.partHint },
  {
    name: 'status',
    label: filters.status,
    kind: 'select',
    choices: stateChoices('payout', PAYOUT_STATUSES),
  },
  PERIOD_FILTER,
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
  { name: 'amount_from', label: filters.amountFrom, kind: 'amount' },
  { name: 'amount_until', label: filters.amountUntil, kind: 'amount' },
  {
    name: 'kind',
    label: filters.kind,
    kind: 'select',
    choices: PAYOUT_KINDS.map((value) => ({ value, label: kinds[value] })),
  },
  {
    name: 'reason',
    label: filters.reason,
    kind: 'select',
    choices: PAYOUT_FAILURES.map((value) => ({ value, label: PAYOUT_FAILURE_WORDS[value].brief })),
  },
  { name: 'reference', label: filters.reference },
  { name: 'phone', label: filters.phone, kind: 'phone' },
]

export const EXPORT_PAYOUTS = exportForm('/payouts', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
const parsePayoutFilter = ({ query, now }: DashboardVisit): PayoutFilter => ({
  ...parseFilters(PAYOUT_PAGE_FILTERS, buildPageQuery(query, FILTERS, now)),
  endingBefore: query.before ?? null,
})

/** Reads which payouts the page and its file show. Throws Refusal. */
export const readPayoutFilter = (visit: DashboardVisit) =>
  narrowPayoutFilter(visit.app, visit.caller, parsePayoutFilter(visit))

/** Lists the payouts of every kind, with the way to those that wait for a second person. */
export async function showPayouts(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const { filter, searchedBackTo } = await readPayoutFilter(visit)
  const [payouts, totals, views, waiting, states] = await Promise.all([
    listPayouts(app, caller, filter),
    readPayoutTotals(app, caller, filter),
    readViewsOfList(visit, 'payouts'),
    countPrepared(app, caller, MAX_PREPARED_COUNTED),
    readStatesForMode(visit),
  ])
  const waits = await readPayoutWaits(app, payouts.data)
  return listPage({
    title: PAYOUTS.title,
    ...{ rows: payouts.data, columns: buildColumns(waits), href: ({ id }: Payout) => visit.to(`/payouts/${id}`) },
    ...{ here: visit.to('/payouts'), query, filters: FILTERS, cursors: cursorsOf(payouts), state },
    head: <PayoutsHead visit={visit} />,
    lead: (
      <>
        <OperatorNotes states={states} side="disburse" />
        {waiting > 0 && (
          <Note tone="open">
            <p>
              {PAYOUTS.waiting(waiting, MAX_PREPARED_COUNTED)}{' '}
              <a href={`${visit.to('/payouts/prepared')}?status=prepared`}>{PAYOUTS.lookAt}</a>
            </p>
          </Note>
        )}
      </>
    ),
    aboveRows: (
      <>
        <SavedViews visit={visit} list="payouts" filters={FILTERS} views={views} />
        <TotalsLine totals={totals} />
        <SearchedBackTo query={query} here={visit.to('/payouts')} backTo={searchedBackTo} />
      </>
    ),
    empty: PAYOUTS.empty,
    tools: <PayoutTools {...{ visit, state, some: payouts.data.length > 0 }} />,
  })
}

const PayoutsHead = ({ visit }: { visit: DashboardVisit }) => (
  <div class="top">
    <h1>{PAYOUTS.title}</h1>
    {mayDo(visit.caller, 'payout.prepare') && (
      <a class="button" href={visit.to('/payouts/new')}>
        {PAYOUTS.new}
      </a>
    )}
  </div>
)

type PayoutToolsProps = { visit: DashboardVisit; state: FormState | null; some: boolean }

const PayoutTools = ({ visit, state, some }: PayoutToolsProps) => (
  <>
    <a href={visit.to('/payouts/prepared')}>{PAYOUTS.prepared}</a>
    {some && <ExportBox of={EXPORT_PAYOUTS} visit={visit} state={state} />}
  </>
)
