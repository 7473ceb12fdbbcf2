import { mayDo } from '../../../api/access/allow.ts'
import { parseFilters } from '../../../api/http/lists/list-filters.ts'
import { listPayouts, readPayoutTotals } from '../../../payments/payouts/find-payouts.ts'
import { PAYOUT_STATUSES, type Payout } from '../../../payments/payouts/payout.ts'
import { PAYOUT_FILTERS, type PayoutFilter } from '../../../payments/payouts/payout-filters.ts'
import { countPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import { column } from '../../parts/columns.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Money, Note, Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { readViewsOfList, SavedViews } from '../lists/saved-views.tsx'
import { TotalsLine } from '../lists/totals.tsx'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { PAYOUTS } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'
import { Phone } from './phone.tsx'

const { columns, filters, kinds } = PAYOUTS
const MAX_PREPARED_COUNTED = 100

/** The columns of the list. `waits`: why those that are not sent yet wait. */
const buildColumns = (waits: ReadonlyMap<string, PayoutWait>): readonly ListColumn<Payout>[] => [
  { title: columns.id, cell: ({ id }) => id },
  {
    title: columns.amount,
    cell: ({ amount, fee }) => (
      <>
        <Money amount={amount} />
        <div class="hint">{columns.withFee(formatShillings(fee))}</div>
      </>
    ),
    figures: true,
  },
  {
    title: columns.status,
    cell: ({ id, status, kind }) => (
      <>
        <Status word={status} />
        <div class="hint">{kinds[kind]}</div>
        <WaitHint wait={waits.get(id)} />
      </>
    ),
  },
  {
    title: columns.to,
    cell: ({ recipientPhone, recipientName }) => <Phone phone={recipientPhone} name={recipientName} />,
  },
  column.text(columns.reference, ({ reference }) => reference),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

/** Says beside a status why the payout is not sent yet. */
export const WaitHint = ({ wait }: { wait: PayoutWait | undefined }) =>
  wait === undefined ? null : <div class="hint">{PAYOUTS.waits[wait.kind].brief}</div>

const FILTERS: readonly ListFilter[] = [
  {
    name: 'status',
    label: filters.status,
    kind: 'select',
    choices: PAYOUT_STATUSES.map((status) => ({ value: status, label: status })),
  },
  { name: 'reference', label: filters.reference },
  { name: 'phone', label: filters.phone, kind: 'phone' },
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
]

export const EXPORT_PAYOUTS = exportForm('/payouts', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parsePayoutFilter = (query: DashboardVisit['query']): PayoutFilter => ({
  ...parseFilters(PAYOUT_FILTERS, buildPageQuery(query, FILTERS)),
  endingBefore: query.before ?? null,
})

/** Lists the payouts of every kind, with the way to those that wait for a second person. */
export async function showPayouts(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const filter = parsePayoutFilter(query)
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
      </>
    ),
    empty: PAYOUTS.empty,
    below: payouts.data.length > 0 && <ExportBox of={EXPORT_PAYOUTS} visit={visit} state={state} />,
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
    <a class="button plain" href={visit.to('/payouts/prepared')}>
      {PAYOUTS.prepared}
    </a>
  </div>
)
