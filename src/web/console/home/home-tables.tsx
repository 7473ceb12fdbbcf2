import { lagMs } from '../../../operations/jobs/read-jobs.ts'
import type { RailFigures } from '../../../operations/overview/rail-figures.ts'
import type { FloatFigure, ServiceFigures } from '../../../operations/overview/service-figures.ts'
import { type MovementsUnderWay, sumUnderWay } from '../../../operations/overview/sum-figures.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Money, Status, Time } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatAge } from '../jobs/age.ts'
import { CONSOLE_HOME_TEXTS } from '../texts/home.ts'
import { JOBS } from '../texts/jobs.ts'

const { underWay: words, rails, sweeps } = CONSOLE_HOME_TEXTS
const LATE_TASKS_SHOWN = 5

/** Charges, payouts and top-ups under way by age, with their number and amount. */
export function UnderWayTable({ figures }: { figures: ServiceFigures }) {
  const columns: readonly ListColumn<MovementsUnderWay>[] = [
    { title: words.columns.noun, cell: ({ noun }) => words.nouns[noun] },
    ...words.columns.bands.map(
      (title, band): ListColumn<MovementsUnderWay> => ({
        title,
        cell: ({ bands }) => <AgeBand of={bands[band] ?? { count: 0, amount: 0 }} />,
        figures: true,
      }),
    ),
    {
      title: words.columns.oldest,
      cell: ({ oldest }) => (oldest === null ? words.none : formatAge(figures.at.getTime() - oldest.getTime())),
      figures: true,
    },
  ]
  return <Table caption={words.title} rows={sumUnderWay(figures)} columns={columns} />
}

const AgeBand = ({ of: { count, amount } }: { of: { count: number; amount: number } }) =>
  count === 0 ? (
    <span class="quiet">{words.none}</span>
  ) : (
    <>
      {CONSOLE_HOME_TEXTS.count(count)}
      <p class="hint">
        <Money amount={amount} />
      </p>
    </>
  )

type RailRow = RailFigures & { float: FloatFigure | null }
const STATE_TONES = { works: 'good', silent: 'bad', refuses: 'bad' } as const

const RAIL_COLUMNS: readonly ListColumn<RailRow>[] = [
  { title: rails.columns.rail, cell: ({ installation }) => <code>{installation}</code> },
  { title: rails.columns.side, cell: ({ side }) => rails.sides[side] },
  {
    title: rails.columns.state,
    cell: ({ state, since }) => (
      <>
        <Status word={rails.states[state]} tone={STATE_TONES[state]} />
        {since !== null && (
          <p class="hint">
            <Time at={since} />
          </p>
        )}
      </>
    ),
  },
  {
    title: rails.columns.float,
    cell: ({ float }) =>
      float === null ? null : (
        <>
          {float.currency} {CONSOLE_HOME_TEXTS.count(float.operator)}
          {float.low && (
            <p class="hint">
              <Status word={rails.low} tone="bad" />
            </p>
          )}
        </>
      ),
    figures: true,
  },
  column.time(rails.columns.read, ({ float }) => float?.readAt ?? null),
  column.time(rails.columns.answer, ({ lastAnswerAt }) => lastAnswerAt),
]

/** Our accounts at operators: whether payments go out, our money there, and the last answer. */
export function RailsTable({ figures }: { figures: ServiceFigures }) {
  const rows = figures.rails.map((rail) => ({
    ...rail,
    float: figures.floats.find((float) => float.installation === rail.installation && float.side === rail.side) ?? null,
  }))
  if (rows.length === 0) return <Empty title={rails.none} />
  return <Table caption={rails.title} rows={rows} columns={RAIL_COLUMNS} />
}

/** The background tasks that are furthest behind. */
export function LateTasksTable({ figures: { jobs, at } }: { figures: ServiceFigures }) {
  const rows = jobs
    .map((job) => ({ ...job, lag: lagMs(job, at.getTime()) }))
    .sort((a, b) => b.lag - a.lag)
    .slice(0, LATE_TASKS_SHOWN)
  if (rows.length === 0) return <Empty title={JOBS.tasks.none} />
  return (
    <Table
      caption={sweeps.title}
      rows={rows}
      columns={[
        { title: sweeps.sweep, cell: ({ sweep }) => <code>{sweep}</code> },
        { title: sweeps.cell, cell: ({ cell }) => cell },
        { title: sweeps.lag, cell: ({ lag }) => formatAge(lag), figures: true },
      ]}
    />
  )
}
