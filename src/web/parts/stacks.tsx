import { scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { CHART_FRAME, ChartEnds, ChartTable, ChartTop, roundToTenth } from './chart.tsx'

/** One column of a stacked chart: how many of each part it has, in the order of the parts. */
export type StackedColumn = { name: string; counts: readonly number[] }

const { width, height, top } = CHART_FRAME

type StacksProps = {
  title: string
  /** The heading of the columns' names in the table behind the chart. */
  nameOf: string
  parts: readonly string[]
  columns: readonly StackedColumn[]
}

/** Columns that are made of parts, drawn on the server, with a legend; a table has the same numbers. */
export function Stacks({ title, nameOf, parts, columns }: StacksProps) {
  const x = scaleBand(
    columns.map(({ name }) => name),
    [0, width],
  ).paddingInner(0.25)
  const sums = columns.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0))
  const highest = Math.max(1, ...sums)
  const y = scaleLinear([0, highest], [height, top])
  const layers = stack<StackedColumn, number>()
    .keys(parts.keys())
    .value(({ counts }, part) => counts[part] ?? 0)(columns as StackedColumn[])
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ChartTop>{highest}</ChartTop>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <line class="axis" x1="0" x2={width} y1={top} y2={top} />
        <line class="axis" x1="0" x2={width} y1={height} y2={height} />
        {layers.map((layer, part) =>
          layer.map(([from, to], index) =>
            to > from ? (
              <rect
                class={`part-${part}`}
                x={roundToTenth(x(columns[index]?.name ?? '') ?? 0)}
                width={roundToTenth(x.bandwidth())}
                y={roundToTenth(y(to))}
                height={roundToTenth(y(from) - y(to))}
              >
                <title>{`${columns[index]?.name}: ${to - from} ${parts[part]}`}</title>
              </rect>
            ) : null,
          ),
        )}
      </svg>
      <ChartEnds first={columns[0]?.name} last={columns.at(-1)?.name} />
      <ul class="legend">
        {parts.map((part, index) =>
          columns.every(({ counts }) => counts[index] === 0) ? null : (
            <li>
              <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
                <rect class={`part-${index}`} width="12" height="12" />
              </svg>
              {part}
            </li>
          ),
        )}
      </ul>
      <ChartTable
        title={title}
        heads={[nameOf, ...parts]}
        rows={columns.map(({ name, counts }) => [name, ...counts.map(String)])}
      />
    </figure>
  )
}
