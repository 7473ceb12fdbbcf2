import { listRequests, type RequestFilter } from '../../../merchants/request-log/find-requests.ts'
import type { LoggedRequest } from '../../../merchants/request-log/logged-request.ts'
import { List } from '../../parts/list-page.tsx'
import { formatPageTime, Note, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
import { REQUESTS } from '../texts/requests.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea, pickFilters } from './developer-tabs.tsx'

const { columns, filters, statuses, outcomes } = REQUESTS
export const REQUESTS_PATH = '/developers/requests'

const COLUMNS: readonly ListColumn<LoggedRequest>[] = [
  { title: columns.what, cell: ({ method, route }) => `${method} ${route}`, at: 'who' },
  { title: columns.status, cell: (request) => <AnswerStatus {...request} />, at: 'state' },
  { title: columns.outcome, cell: ({ keyOutcome }) => (keyOutcome === null ? '–' : outcomes[keyOutcome]) },
  { title: columns.key, cell: ({ keyLast4 }) => <code>...{keyLast4}</code>, at: 'what' },
  { title: columns.ms, cell: ({ ms }) => REQUESTS.ms(ms), figures: true, at: 'amount' },
  { title: columns.at, cell: ({ at }) => <Instant at={at} />, at: 'when' },
]

const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'status', label: filters.status, kind: 'select' },
    choices: (['2', 'refused', '4', '5'] as const).map((value) => ({ value, label: statuses[value] })),
  },
  {
    ...{ name: 'method', label: filters.method, kind: 'select' },
    choices: ['GET', 'POST'].map((value) => ({ value, label: value })),
  },
  { name: 'route', label: filters.route },
  { name: 'code', label: filters.code },
  { name: 'key', label: filters.key },
  { name: 'request', label: filters.request },
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
]

/** A moment in Kampala's time, to the second. */
export const Instant = ({ at }: { at: Date }) => <Time at={at} second />

/** Shows the status of an answer as word, shape and colour, with its error code. */
export const AnswerStatus = ({ status, code }: Pick<LoggedRequest, 'status' | 'code'>) => (
  <>
    <Status word={`${status}`} tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'} />
    {code !== null && <code> {code}</code>}
  </>
)

/** Shows the requests made with keys of this mode, newest first. */
export async function showRequests(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const page = await listRequests(app, caller, parseRequestFilter(query))
  const here = visit.to(REQUESTS_PATH)
  return pageReply(
    REQUESTS.title,
    <DeveloperArea visit={visit} at={REQUESTS_PATH} title={REQUESTS.title}>
      <p>{REQUESTS.lead}</p>
      <List
        {...{ caption: REQUESTS.title, rows: page.rows, columns: COLUMNS, filters: FILTERS, here, query }}
        href={({ id }) => visit.to(`${REQUESTS_PATH}/${id}`)}
        empty={{
          title: REQUESTS.empty,
          filtered: REQUESTS.filtered,
          says: (
            <p>
              <a href={visit.to('/developers/reference')}>{REQUESTS.emptySays}</a>
            </p>
          ),
        }}
        belowRows={
          page.searchedBackTo !== null && <Note>{REQUESTS.lookedBackTo(formatPageTime(page.searchedBackTo))}</Note>
        }
        cursors={page}
      />
    </DeveloperArea>,
  )
}

/** Parses the filters of the list from a query. Days are days in Kampala, both included. */
function parseRequestFilter(query: DashboardVisit['query']): RequestFilter {
  const { from, until, ...filters } = pickFilters(
    query,
    ...(['status', 'method', 'route', 'code', 'key', 'request', 'from', 'until', 'after', 'before'] as const),
  )
  return {
    ...filters,
    ...(from === undefined ? {} : { from: dayStart(from) }),
    ...(until === undefined ? {} : { until: dayEnd(until) }),
  }
}

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/
const dayStart = (text: string) => (DAY_PATTERN.test(text) ? `${text}T00:00+03:00` : text)
const dayEnd = (text: string) => (DAY_PATTERN.test(text) ? `${text}T23:59:59.999+03:00` : text)
