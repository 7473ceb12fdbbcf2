import {
  EXCEPTION_LISTS,
  type ExceptionFilter,
  type ExceptionList,
  findExceptions,
} from '../../exceptions/find-exceptions.ts'
import type { OpenedException } from '../../exceptions/resolve-exception.ts'
import { Count } from '../../pages/frame.tsx'
import { Empty, Note, Said, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, type Filter, Filters, Pager, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { ReconciliationPages } from '../reconciliation/runs-page.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countShown, exceptionsOf } from '../waiting.ts'
import { LIST } from './exception-forms.ts'

const { columns, filters, lists } = EXCEPTIONS
const ROWS = 25
const HOUR_MS = 3_600_000
const LISTS = Object.keys(EXCEPTION_LISTS) as ExceptionList[] // Typed by its keys.
const choice = (value: string, label = value) => ({ value, label })

const FILTERS: readonly Filter[] = [
  {
    ...{ name: 'state', label: filters.state, kind: 'select' },
    choices: [choice('open', filters.open), choice('resolved', filters.resolved)],
  },
  {
    ...{ name: 'severity', label: filters.severity, kind: 'select' },
    choices: [choice('critical'), choice('major')],
  },
  { name: 'owner', label: filters.owner },
  { name: 'merchant', label: filters.merchant },
]

/** Shows one of the three lists of exceptions, over all merchants. */
export async function showExceptions(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, query } = visit
  const filter = filterOf(visit)
  const window = { after: query.after, before: query.before, limit: ROWS }
  const page = await findExceptions(gateway, filter, window)
  const here = visit.to(LIST)
  const pageQuery = { ...query, after: undefined, before: undefined, list: filter.list }
  return shownPage(
    EXCEPTIONS.title,
    <>
      <h1>{EXCEPTIONS.title}</h1>
      <ReconciliationPages visit={visit} at={LIST} />
      <p class="quiet">{EXCEPTIONS.lead}</p>
      <nav class="tabs" aria-label={EXCEPTIONS.title}>
        {LISTS.map((list) => (
          <a
            href={addressWith(here, { ...pageQuery, list })}
            aria-current={list === filter.list ? 'true' : undefined}
          >
            {lists[list]} <Count of={countShown(exceptionsOf(visit.waiting, list))} />
          </a>
        ))}
      </nav>
      <p class="hint">{EXCEPTIONS.hints[filter.list]}</p>
      {filter.list === 'waiting' && (
        <Note>
          {EXCEPTIONS.waitingNow} <a href={visit.to('/parked')}>{EXCEPTIONS.parked}</a>
        </Note>
      )}
      <Filters filters={FILTERS} query={query} action={here} keep={{ list: filter.list }} />
      {page.rows.length === 0 ? (
        <Empty title={EXCEPTIONS.empty}>
          <p>{EXCEPTIONS.emptySays}</p>
        </Empty>
      ) : (
        <Table
          caption={lists[filter.list]}
          rows={page.rows}
          columns={columnsFor(visit)}
          href={({ id }) => visit.to(`${LIST}/${id}`)}
        />
      )}
      <Pager cursors={page} query={pageQuery} here={here} />
    </>,
  )
}

function filterOf({ query, waiting }: ConsoleVisit): ExceptionFilter {
  const { severity, owner, merchant } = query
  return {
    // Without a choice the page opens with the first list on which something waits.
    list:
      LISTS.find((list) => list === query.list) ??
      LISTS.find((list) => exceptionsOf(waiting, list) > 0) ??
      'missing',
    isOpen: query.state !== 'resolved',
    severity: severity === 'critical' || severity === 'major' ? severity : null,
    owner: owner ?? null,
    merchant: merchant ?? null,
  }
}

const columnsFor = ({ now, to }: ConsoleVisit): readonly Column<OpenedException>[] => [
  { title: columns.kind, cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: columns.subject, cell: ({ subject }) => <code>{shown(subject)}</code> },
  {
    title: columns.merchant,
    cell: ({ merchant }) =>
      merchant === null ? EXCEPTIONS.platform : <a href={to(`/merchants/${merchant}`)}>{merchant}</a>,
  },
  { title: columns.severity, cell: ({ severity }) => <Severity severity={severity} /> },
  { title: columns.owner, cell: ({ owner }) => <Said text={owner} /> },
  { title: columns.seen, cell: ({ seenCount }) => EXCEPTIONS.times(seenCount), figures: true },
  { title: columns.opened, cell: ({ openedAt }) => <Time at={openedAt} /> },
  {
    title: columns.age,
    cell: ({ openedAt, closedAt }) =>
      EXCEPTIONS.age(Math.max(0, Math.floor(((closedAt ?? now).getTime() - openedAt.getTime()) / HOUR_MS))),
    figures: true,
  },
]

export const Severity = ({ severity }: { severity: string }) => (
  <Status word={severity} tone={severity === 'critical' ? 'bad' : 'warn'} />
)
