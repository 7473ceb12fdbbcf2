import { mayDo } from '../../../api/access/allow.ts'
import { parseFilters } from '../../../api/http/lists/list-filters.ts'
import { listPayouts } from '../../../payments/payouts/find-payouts.ts'
import { PAYOUT_STATUSES, type Payout } from '../../../payments/payouts/payout.ts'
import { PAYOUT_FILTERS, type PayoutFilter } from '../../../payments/payouts/payout-filters.ts'
import { readPayoutTotals } from '../../../payments/payouts/payout-totals.ts'
import { countPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Money, Note, OutsideText, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import {
  buildPageQuery,
  cursorsOf,
  Filters,
  type ListColumn,
  type ListFilter,
  Pager,
  Table,
} from '../../parts/table.tsx'
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
  { title: columns.reference, cell: ({ reference }) => <OutsideText text={reference} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
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
  const here = visit.to('/payouts')
  return pageReply(
    PAYOUTS.title,
    <>
      <div class="top">
        <h1>{PAYOUTS.title}</h1>
        {mayDo(caller, 'payout.prepare') && (
          <a class="button" href={visit.to('/payouts/new')}>
            {PAYOUTS.new}
          </a>
        )}
        <a class="button plain" href={visit.to('/payouts/prepared')}>
          {PAYOUTS.prepared}
        </a>
      </div>
      <OperatorNotes states={states} side="disburse" />
      {waiting > 0 && (
        <Note tone="open">
          <p>
            {PAYOUTS.waiting(waiting, MAX_PREPARED_COUNTED)}{' '}
            <a href={`${visit.to('/payouts/prepared')}?status=prepared`}>{PAYOUTS.lookAt}</a>
          </p>
        </Note>
      )}
      <Filters filters={FILTERS} query={query} action={here} />
      <SavedViews visit={visit} list="payouts" filters={FILTERS} views={views} />
      <TotalsLine totals={totals} />
      {payouts.data.length === 0 ? (
        <NoPayouts visit={visit} />
      ) : (
        <Table
          caption={PAYOUTS.title}
          rows={payouts.data}
          columns={buildColumns(waits)}
          href={({ id }) => visit.to(`/payouts/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(payouts)} query={query} here={here} />
      {payouts.data.length > 0 && <ExportBox of={EXPORT_PAYOUTS} visit={visit} state={state} />}
    </>,
    { status: state?.status ?? 200 },
  )
}

const NoPayouts = ({ visit: { query } }: { visit: DashboardVisit }) =>
  FILTERS.some(({ name }) => query[name] !== undefined) ? (
    <Empty title={PAYOUTS.empty.filtered} />
  ) : (
    <Empty title={PAYOUTS.empty.title}>
      <p>{PAYOUTS.empty.says}</p>
    </Empty>
  )
