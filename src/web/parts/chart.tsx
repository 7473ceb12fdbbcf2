import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import type { ComponentChildren } from 'preact'
import { Table } from './table.tsx'
import { PARTS } from './texts.ts'

/** One point of a chart: its name, its bar, and its share from 0 to 1 (null if it has none). `says`: the text of the bar. */
export type ChartPoint = { name: string; bar: number; share: number | null; says: string }

/** The size of a chart's drawing, in units of its own. */
export const CHART_FRAME = { width: 720, height: 180, top: 8 }
const { width: WIDTH, height: HEIGHT, top: TOP } = CHART_FRAME

type ChartProps = {
  title: string
  points: readonly ChartPoint[]
  /** The headings of the table behind the chart. */
  columns: { name: string; bar: string; share: string }
  shown: { bar(value: number): string; share(value: number): string }
}

/** Bars with a line of shares over them, drawn on the server; a table has the same numbers for people who cannot see it. */
export function Chart({ title, points, columns, shown }: ChartProps) {
  const x = scaleBand(
    points.map(({ name }) => name),
    [0, WIDTH],
  ).paddingInner(0.25)
  const highest = Math.max(1, ...points.map(({ bar }) => bar))
  const y = scaleLinear([0, highest], [HEIGHT, TOP])
  const yShare = scaleLinear([0, 1], [HEIGHT, TOP])
  const withShare = points.filter((point): point is ChartPoint & { share: number } => point.share !== null)
  const path = line<ChartPoint & { share: number }>(
    ({ name }) => (x(name) ?? 0) + x.bandwidth() / 2,
    ({ share }) => yShare(share),
  )(withShare)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ChartTop>{shown.bar(highest)}</ChartTop>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="axis" x1="0" x2={WIDTH} y1={TOP} y2={TOP} />
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {points.map(({ name, bar, says }) => (
          <rect
            class="bar"
            x={roundToTenth(x(name) ?? 0)}
            width={roundToTenth(x.bandwidth())}
            y={roundToTenth(y(bar))}
            height={roundToTenth(HEIGHT - y(bar))}
          >
            <title>{says}</title>
          </rect>
        ))}
        {path !== null && withShare.length > 1 && (
          <path class="line" d={path.replace(/\.\d+/g, (part) => part.slice(0, 2))} />
        )}
      </svg>
      <ChartEnds first={points[0]?.name} last={points.at(-1)?.name} />
      <ChartTable
        title={title}
        heads={[columns.name, columns.bar, columns.share]}
        rows={points.map(({ name, bar, share }) => [
          name,
          shown.bar(bar),
          share === null ? PARTS.none : shown.share(share),
        ])}
      />
    </figure>
  )
}

/** What the upper line of a drawing stands for, as text of the page. A script shows the value of the column that is touched beside it. */
export const ChartTop = ({ children }: { children: ComponentChildren }) => (
  <div class="ends" aria-hidden="true">
    <span>{children}</span>
    <span class="touched" />
  </div>
)

/** The first and the last name under a drawing: as text of the page, they keep their size where the drawing is small. */
export const ChartEnds = ({ first, last }: { first: string | undefined; last: string | undefined }) => (
  <div class="ends" aria-hidden="true">
    <span>{first}</span>
    <span>{last}</span>
  </div>
)

type ChartTableProps = { title: string; heads: readonly string[]; rows: readonly (readonly string[])[] }

/** The numbers of a chart as a table; the first cell of a row is its name, the others are figures. */
export const ChartTable = ({ title, heads, rows }: ChartTableProps) => (
  <details>
    <summary>{PARTS.asTable}</summary>
    <Table
      caption={title}
      rows={rows}
      columns={heads.map((head, index) => ({
        title: head,
        cell: (row: readonly string[]) => row[index],
        figures: index > 0,
      }))}
    />
  </details>
)

/** Rounds to one decimal place, which is finer than a screen shows. */
export const roundToTenth = (value: number) => Math.round(value * 10) / 10
