import { lagMs } from '../../jobs/read-jobs.ts'
import type { RailFigures } from '../../overview/rail-figures.ts'
import type { Float, ServiceFigures } from '../../overview/service-figures.ts'
import { type UnderWay, underWay } from '../../overview/sums.ts'
import { Empty, Money, Status, Time } from '../../pages/parts.tsx'
import { type Column, Table } from '../../pages/table.tsx'
import { ageText } from '../jobs/age.ts'
import { HOME } from '../texts/home.ts'
import { JOBS } from '../texts/jobs.ts'

const { underWay: words, rails, sweeps } = HOME
const FURTHEST = 5

/** Charges, payouts and top-ups under way by age, with their number and amount. */
export function UnderWayTable({ figures }: { figures: ServiceFigures }) {
  const columns: readonly Column<UnderWay>[] = [
    { title: words.columns.noun, cell: ({ noun }) => words.nouns[noun] },
    ...words.columns.bands.map(
      (title, band): Column<UnderWay> => ({
        title,
        cell: ({ bands }) => <Band of={bands[band] ?? { count: 0, amount: 0 }} />,
        figures: true,
      }),
    ),
    {
      title: words.columns.oldest,
      cell: ({ oldest }) => (oldest === null ? words.none : ageText(figures.at.getTime() - oldest.getTime())),
      figures: true,
    },
  ]
  return <Table caption={words.title} rows={underWay(figures)} columns={columns} />
}

const Band = ({ of: { count, amount } }: { of: { count: number; amount: number } }) =>
  count === 0 ? (
    <span class="quiet">{words.none}</span>
  ) : (
    <>
      {HOME.count(count)}
      <p class="hint">
        <Money amount={amount} />
      </p>
    </>
  )

type Rail = RailFigures & { float: Float | null }
const TONES = { works: 'good', silent: 'bad', refuses: 'bad' } as const

const RAILS: readonly Column<Rail>[] = [
  { title: rails.columns.rail, cell: ({ installation }) => <code>{installation}</code> },
  { title: rails.columns.side, cell: ({ side }) => rails.sides[side] },
  {
    title: rails.columns.state,
    cell: ({ state, since }) => (
      <>
        <Status word={rails.states[state]} tone={TONES[state]} />
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
          {float.currency} {HOME.count(float.operator)}
          {float.low && (
            <p class="hint">
              <Status word={rails.low} tone="bad" />
            </p>
          )}
        </>
      ),
    figures: true,
  },
  { title: rails.columns.read, cell: ({ float }) => <Time at={float?.readAt ?? null} /> },
  { title: rails.columns.answer, cell: ({ lastAnswerAt }) => <Time at={lastAnswerAt} /> },
]

/** Our accounts at operators: whether payments go out, our money there, and the last answer. */
export function Rails({ figures }: { figures: ServiceFigures }) {
  const rows = figures.rails.map((rail) => ({
    ...rail,
    float:
      figures.floats.find((float) => float.installation === rail.installation && float.side === rail.side) ??
      null,
  }))
  if (rows.length === 0) return <Empty title={rails.none} />
  return <Table caption={rails.title} rows={rows} columns={RAILS} />
}

/** The background tasks that are furthest behind. */
export function Furthest({ figures: { jobs, at } }: { figures: ServiceFigures }) {
  const rows = jobs
    .map((job) => ({ ...job, lag: lagMs(job, at.getTime()) }))
    .sort((a, b) => b.lag - a.lag)
    .slice(0, FURTHEST)
  if (rows.length === 0) return <Empty title={JOBS.tasks.none} />
  return (
    <Table
      caption={sweeps.title}
      rows={rows}
      columns={[
        { title: sweeps.sweep, cell: ({ sweep }) => <code>{sweep}</code> },
        { title: sweeps.cell, cell: ({ cell }) => cell },
        { title: sweeps.lag, cell: ({ lag }) => ageText(lag), figures: true },
      ]}
    />
  )
}
