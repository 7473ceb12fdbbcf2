import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { PARTS } from './texts.ts'

/** One point of a chart: its name, its bar, and its share from 0 to 1, null where there is nothing to share. */
export type Point = { name: string; bar: number; share: number | null; says: string }

const WIDTH = 720
const HEIGHT = 200
const BOTTOM = 20
const TOP = 8

type ChartProps = {
  title: string
  points: readonly Point[]
  /** The headings of the table behind the chart. */
  columns: { name: string; bar: string; share: string }
  shown: { bar(value: number): string; share(value: number): string }
}

/** Bars with a line of shares over them, drawn on the server; a table says the same to who cannot see it. */
export function Chart({ title, points, columns, shown }: ChartProps) {
  const x = scaleBand(
    points.map(({ name }) => name),
    [0, WIDTH],
  ).paddingInner(0.25)
  const most = Math.max(1, ...points.map(({ bar }) => bar))
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP])
  const yShare = scaleLinear([0, 1], [HEIGHT - BOTTOM, TOP])
  const known = points.filter((point): point is Point & { share: number } => point.share !== null)
  const path = line<Point & { share: number }>(
    ({ name }) => (x(name) ?? 0) + x.bandwidth() / 2,
    ({ share }) => yShare(share),
  )(known)
  const first = points[0]
  const last = points.at(-1)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {points.map(({ name, bar, says }) => (
          <rect
            class="bar"
            x={round(x(name) ?? 0)}
            width={round(x.bandwidth())}
            y={round(y(bar))}
            height={round(HEIGHT - BOTTOM - y(bar))}
          >
            <title>{says}</title>
          </rect>
        ))}
        {path !== null && known.length > 1 && (
          <path class="line" d={path.replace(/\.\d+/g, (part) => part.slice(0, 2))} />
        )}
        <text x="0" y={HEIGHT - 4}>
          {first?.name}
        </text>
        <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
          {last?.name}
        </text>
      </svg>
      <Behind title={title} points={points} columns={columns} shown={shown} />
    </figure>
  )
}

/** The same as a table. */
const Behind = ({ title, points, columns, shown }: ChartProps) => (
  <details>
    <summary>{PARTS.asTable}</summary>
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" class="figure">
              {columns.bar}
            </th>
            <th scope="col" class="figure">
              {columns.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ name, bar, share }) => (
            <tr>
              <td data-title={columns.name}>{name}</td>
              <td data-title={columns.bar} class="figure">
                {shown.bar(bar)}
              </td>
              <td data-title={columns.share} class="figure">
                {share === null ? PARTS.none : shown.share(share)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)

const round = (value: number) => Math.round(value * 10) / 10
