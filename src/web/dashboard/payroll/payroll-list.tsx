import { mayDo } from '../../../api/access/allow.ts'
import { parseStatusAndWindow } from '../../../api/http/lists/list-choices.ts'
import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import { listActiveSchedules, listSchedules } from '../../../payments/scheduled-payouts/find-schedules.ts'
import { type ForecastRun, forecastRuns } from '../../../payments/scheduled-payouts/forecast.ts'
import { SCHEDULE_STATUSES, type Schedule } from '../../../payments/scheduled-payouts/schedule.ts'
import { addMs } from '../../../platform/time/clock.ts'
import { stateChoices } from '../../../reports/words/states.ts'
import { column } from '../../parts/columns.tsx'
import { listPage } from '../../parts/list-page.tsx'
import { Facts, formatPageTime, Money, Note, OutsideText, Section, Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'
import { CalendarLine } from './calendar-line.tsx'

const { columns, intervals } = PAYROLL
const DAYS_AHEAD = 35
const MAX_RUNS_SHOWN = 40
const DAY_MS = 86_400_000

const COLUMNS: readonly ListColumn<Schedule>[] = [
  column.who(columns.name, ({ name }) => name ?? columns.unnamed),
  { title: columns.interval, cell: ({ interval }) => intervals[interval], at: 'what' },
  { title: columns.people, cell: ({ recipients }) => recipients.length, figures: true },
  column.amount(columns.each, ({ amount }) => amount),
  column.state(columns.status, 'schedule', ({ status }) => ({ status })),
  column.when(columns.next, ({ nextRunAt, status }) => (status === 'active' ? nextRunAt : null)),
  column.id(),
]
const FILTERS: readonly ListFilter[] = [
  {
    name: 'status',
    label: PAYROLL.filters.status,
    kind: 'select',
    choices: stateChoices('schedule', SCHEDULE_STATUSES),
  },
]
const { columns: ahead } = PAYROLL.forecast

const columnsAhead = (visit: DashboardVisit): readonly ListColumn<ForecastRun>[] => [
  {
    title: ahead.name,
    cell: ({ scheduleId, name }) => (
      <a href={visit.to(`/payroll/${scheduleId}`)}>{name === null ? columns.unnamed : <OutsideText text={name} />}</a>
    ),
    at: 'who',
  },
  column.when(ahead.at, ({ at }) => at),
  { title: ahead.people, cell: ({ recipients }) => recipients, figures: true },
  column.amount(ahead.needs, ({ amount, fees }) => amount + fees),
  {
    title: ahead.after,
    cell: ({ after }) =>
      after < 0 ? <Status word={`−${formatShillings(-after)}`} tone="bad" /> : <Money amount={after} />,
    figures: true,
    at: 'state',
  },
]

/** Lists the schedules of a merchant, with the money that their next cycles need. */
export async function showPayroll(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const schedules = await listSchedules(app, caller, {
    ...parseStatusAndWindow(buildPageQuery(query), SCHEDULE_STATUSES),
    endingBefore: query.before ?? null,
  })
  return listPage({
    title: PAYROLL.title,
    ...{ rows: schedules.data, columns: COLUMNS, href: ({ id }: Schedule) => visit.to(`/payroll/${id}`) },
    ...{ here: visit.to('/payroll'), query, filters: FILTERS, cursors: cursorsOf(schedules) },
    head: (
      <div class="top">
        <h1>{PAYROLL.title}</h1>
        {mayDo(caller, 'payout.prepare') && (
          <a class="button" href={visit.to('/payroll/new')}>
            {PAYROLL.new}
          </a>
        )}
      </div>
    ),
    lead: <p>{PAYROLL.lead}</p>,
    below: await Forecast({ visit }),
    empty: PAYROLL.empty,
  })
}

async function Forecast({ visit }: { visit: DashboardVisit }) {
  const { app, caller, now } = visit
  const [schedules, { available }] = await Promise.all([listActiveSchedules(app, caller), getLedgerHead(app, caller)])
  if (schedules.length === 0) return null
  // Schedules of test mode run by the test clock, which is ahead of the real one.
  const clockAheadMs = visit.mode === 'test' ? visit.merchant.testClockOffsetMs : 0
  const runs = forecastRuns(schedules, { available, until: addMs(now, clockAheadMs + DAYS_AHEAD * DAY_MS) })
  const shortRun = runs.find(({ after }) => after < 0)
  return (
    <Section title={PAYROLL.forecast.title}>
      <p class="hint">{PAYROLL.forecast.lead(DAYS_AHEAD)}</p>
      <Facts facts={[[PAYROLL.forecast.available, <Money amount={available} />]]} />
      {shortRun === undefined ? (
        <Note tone="good">{runs.length === 0 ? PAYROLL.forecast.none : PAYROLL.forecast.enough}</Note>
      ) : (
        <Note tone="warn">{PAYROLL.forecast.short(formatShillings(-shortRun.after), formatPageTime(shortRun.at))}</Note>
      )}
      {runs.length > 0 && (
        <CalendarLine title={PAYROLL.forecast.title} runs={runs} from={addMs(now, clockAheadMs)} days={DAYS_AHEAD} />
      )}
      {runs.length > 0 && (
        <Table caption={PAYROLL.forecast.title} rows={runs.slice(0, MAX_RUNS_SHOWN)} columns={columnsAhead(visit)} />
      )}
    </Section>
  )
}
