import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { listPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { PREPARED_STATUSES, type PreparedPayout } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { Empty, Money, OutsideText, Status, Time } from '../../parts/parts.tsx'
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
import { PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, kinds } = PREPARED

const COLUMNS: readonly ListColumn<PreparedPayout>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.kind, cell: ({ kind }) => kinds[kind] },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.recipients, cell: ({ recipients }) => recipients, figures: true },
  {
    title: columns.status,
    cell: ({ status }) => (
      <>
        <Status word={status} />
        {status === 'prepared' && <div class="hint">{PREPARED.waits}</div>}
      </>
    ),
  },
  { title: columns.by, cell: ({ madeName }) => <OutsideText text={madeName} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: columns.expires,
    cell: ({ status, expiresAt }) => <Time at={status === 'prepared' ? expiresAt : null} />,
  },
]

const FILTERS: readonly ListFilter[] = [
  {
    name: 'status',
    label: PREPARED.filters.status,
    kind: 'select',
    choices: PREPARED_STATUSES.map((status) => ({ value: status, label: status })),
  },
]

/** Lists the prepared payouts, newest first. */
export async function showPreparedList(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const status = PREPARED_STATUSES.find((preparedStatus) => preparedStatus === query.status) ?? null
  const window = { ...parseListWindow(buildPageQuery(query)), endingBefore: query.before ?? null }
  const prepared = await listPrepared(app, caller, { ...window, status })
  const here = visit.to('/payouts/prepared')
  return pageReply(
    PREPARED.title,
    <>
      <h1>{PREPARED.title}</h1>
      <Filters filters={FILTERS} query={query} action={here} />
      {prepared.data.length === 0 ? (
        <Empty title={status === null ? PREPARED.empty.title : PREPARED.empty.filtered}>
          {status === null && <p>{PREPARED.empty.says}</p>}
        </Empty>
      ) : (
        <Table
          caption={PREPARED.title}
          rows={prepared.data}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/payouts/prepared/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(prepared)} query={query} here={here} />
    </>,
  )
}
