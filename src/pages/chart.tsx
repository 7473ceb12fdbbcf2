import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { PARTS } from './texts.ts'

/** One point of a chart: its name, its bar, and its share from 0 to 1, null where there is nothing to share. */
export type Point = { name: string; bar: number; share: number | null; says: string }

/** The drawing of a chart, in units of its own. */
export const FRAME = { width: 720, height: 200, bottom: 20, top: 8 }
const { width: WIDTH, height: HEIGHT, bottom: BOTTOM, top: TOP } = FRAME

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
      <Behind
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

type BehindProps = { title: string; heads: readonly string[]; rows: readonly (readonly string[])[] }

/** What a chart shows as a table; the first cell of a row is its name, the others are figures. */
export const Behind = ({ title, heads, rows }: BehindProps) => (
  <details>
    <summary>{PARTS.asTable}</summary>
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            {heads.map((head, place) => (
              <th scope="col" class={place > 0 ? 'figure' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, place) => (
                <td data-title={heads[place]} class={place > 0 ? 'figure' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)

/** One digit behind the point is less than a screen shows. */
export const round = (value: number) => Math.round(value * 10) / 10
