import {
  EXCEPTION_LISTS,
  type ExceptionFilter,
  type ExceptionList,
  listExceptions,
} from '../../../payments/exceptions/find-exceptions.ts'
import type { OpenedException } from '../../../payments/exceptions/resolve-exception.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { WaitingCount } from '../../parts/frame.tsx'
import { List } from '../../parts/list-page.tsx'
import { Note, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { ReconciliationTabs } from '../reconciliation/runs-page.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countExceptions, formatCount } from '../work-overview.ts'
import { EXCEPTIONS_PATH } from './exception-forms.ts'

const { columns, filters, lists } = EXCEPTIONS
const ROWS_PER_PAGE = 25
const HOUR_MS = 3_600_000
const LIST_NAMES = Object.keys(EXCEPTION_LISTS) as ExceptionList[] // Typed by its keys.
const makeChoice = (value: string, label = value) => ({ value, label })

const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'state', label: filters.state, kind: 'select' },
    choices: [makeChoice('open', filters.open), makeChoice('resolved', filters.resolved)],
  },
  {
    ...{ name: 'severity', label: filters.severity, kind: 'select' },
    choices: [makeChoice('critical'), makeChoice('major')],
  },
  { name: 'owner', label: filters.owner },
  { name: 'merchant', label: filters.merchant },
]

/** Shows one of the three lists of exceptions, over all merchants. */
export async function showExceptions(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, query } = visit
  const filter = parseFilter(visit)
  const window = { after: query.after, before: query.before, limit: ROWS_PER_PAGE }
  const page = await listExceptions(gateway, filter, window)
  const here = visit.to(EXCEPTIONS_PATH)
  const pageQuery = { ...query, after: undefined, before: undefined, list: filter.list }
  return pageReply(
    EXCEPTIONS.title,
    <>
      <h1>{EXCEPTIONS.title}</h1>
      <ReconciliationTabs visit={visit} at={EXCEPTIONS_PATH} />
      <p class="quiet">{EXCEPTIONS.lead}</p>
      <nav class="tabs" aria-label={EXCEPTIONS.title}>
        {LIST_NAMES.map((list) => (
          <a href={addressWith(here, { ...pageQuery, list })} aria-current={list === filter.list ? 'true' : undefined}>
            {lists[list]} <WaitingCount of={formatCount(countExceptions(visit.waiting, list))} />
          </a>
        ))}
      </nav>
      <p class="hint">{EXCEPTIONS.hints[filter.list]}</p>
      {filter.list === 'waiting' && (
        <Note>
          {EXCEPTIONS.waitingNow} <a href={visit.to('/parked')}>{EXCEPTIONS.parked}</a>
        </Note>
      )}
      <List
        {...{
          caption: lists[filter.list],
          rows: page.rows,
          columns: buildColumns(visit),
          filters: FILTERS,
          here,
          query,
        }}
        {...{ keep: { list: filter.list }, cursors: page }}
        href={({ id }) => visit.to(`${EXCEPTIONS_PATH}/${id}`)}
        empty={{ title: EXCEPTIONS.empty, says: EXCEPTIONS.emptySays }}
      />
    </>,
  )
}

function parseFilter({ query, waiting }: ConsoleVisit): ExceptionFilter {
  const { severity, owner, merchant } = query
  return {
    // Without a choice the page opens with the first list on which something waits.
    list:
      LIST_NAMES.find((list) => list === query.list) ??
      LIST_NAMES.find((list) => countExceptions(waiting, list) > 0) ??
      'missing',
    isOpen: query.state !== 'resolved',
    severity: severity === 'critical' || severity === 'major' ? severity : null,
    owner: owner ?? null,
    merchant: merchant ?? null,
  }
}

const buildColumns = ({ now, to }: ConsoleVisit): readonly ListColumn<OpenedException>[] => [
  { title: columns.kind, cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: columns.subject, cell: ({ subject }) => <code>{oneLine(subject)}</code> },
  {
    title: columns.merchant,
    cell: ({ merchant }) =>
      merchant === null ? EXCEPTIONS.platform : <a href={to(`/merchants/${merchant}`)}>{merchant}</a>,
  },
  { title: columns.severity, cell: ({ severity }) => <SeverityStatus severity={severity} /> },
  column.text(columns.owner, ({ owner }) => owner),
  { title: columns.seen, cell: ({ seenCount }) => EXCEPTIONS.times(seenCount), figures: true },
  column.time(columns.opened, ({ openedAt }) => openedAt),
  {
    title: columns.age,
    cell: ({ openedAt, closedAt }) =>
      EXCEPTIONS.age(Math.max(0, Math.floor(((closedAt ?? now).getTime() - openedAt.getTime()) / HOUR_MS))),
    figures: true,
  },
]

export const SeverityStatus = ({ severity }: { severity: string }) => (
  <Status word={severity} tone={severity === 'critical' ? 'bad' : 'warn'} />
)
