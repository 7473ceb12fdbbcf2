import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { listPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { PREPARED_STATUSES, type PreparedPayout } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { stateChoices } from '../../../reports/words/states.ts'
import { column } from '../../parts/columns.tsx'
import { listPage } from '../../parts/list-page.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, kinds } = PREPARED

const COLUMNS: readonly ListColumn<PreparedPayout>[] = [
  { title: columns.kind, cell: ({ kind }) => kinds[kind], at: 'who' },
  column.amount(columns.amount, ({ amount }) => amount),
  { title: columns.recipients, cell: ({ recipients }) => recipients, figures: true },
  column.state(columns.status, 'prepared', ({ status }) => ({ status })),
  column.what(columns.by, ({ madeName }) => madeName),
  column.when(columns.created, ({ createdAt }) => createdAt),
  {
    ...column.time<PreparedPayout>(columns.expires, ({ status, expiresAt }) =>
      status === 'prepared' ? expiresAt : null,
    ),
    at: 'ident',
  },
  column.id(),
]

const FILTERS: readonly ListFilter[] = [
  {
    name: 'status',
    label: PREPARED.filters.status,
    kind: 'select',
    choices: stateChoices('prepared', PREPARED_STATUSES),
  },
]

/** Lists the prepared payouts, newest first. */
export async function showPreparedList(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const status = PREPARED_STATUSES.find((preparedStatus) => preparedStatus === query.status) ?? null
  const window = { ...parseListWindow(buildPageQuery(query)), endingBefore: query.before ?? null }
  const prepared = await listPrepared(app, caller, { ...window, status })
  return listPage({
    title: PREPARED.title,
    ...{ rows: prepared.data, columns: COLUMNS, href: ({ id }: PreparedPayout) => visit.to(`/payouts/prepared/${id}`) },
    ...{ here: visit.to('/payouts/prepared'), query, filters: FILTERS, cursors: cursorsOf(prepared) },
    empty: PREPARED.empty,
  })
}
