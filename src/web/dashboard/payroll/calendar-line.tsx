import type { ForecastRun } from '../../../payments/scheduled-payouts/forecast.ts'
import { addMs } from '../../../platform/time/clock.ts'
import { kampalaIso } from '../../../platform/time/kampala.ts'
import { ChartEnds } from '../../parts/chart.tsx'
import { formatPageDay } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'

const WIDTH = 720
const HEIGHT = 76
const DAY_MS = 86_400_000

type CalendarProps = { title: string; runs: readonly ForecastRun[]; from: Date; days: number }

/** Draws the days ahead with a bar on each day of payroll: as high as the money it needs, in another colour if there is not enough. */
export function CalendarLine({ title, runs, from, days }: CalendarProps) {
  const dates = Array.from({ length: days }, (_, ahead) => addMs(from, ahead * DAY_MS))
  const needs = sumNeedsByDay(runs)
  const most = Math.max(1, ...[...needs.values()].map(({ need }) => need))
  const step = WIDTH / days
  const last = dates.at(-1)
  return (
    <figure class="chart">
      <figcaption class="ear">{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {dates.map((date, index) => {
          const day = needs.get(formatIsoDay(date))
          const height = day === undefined ? 2 : Math.max(6, Math.round(((HEIGHT - 4) * day.need) / most))
          return (
            <rect
              class={day === undefined ? 'rest' : day.short ? 'bar short' : 'bar'}
              x={Math.round(index * step + 2)}
              width={Math.round(step - 4)}
              y={HEIGHT - height}
              height={height}
            >
              <title>
                {day === undefined ? formatPageDay(date) : `${formatPageDay(date)}: ${formatShillings(day.need)}`}
              </title>
            </rect>
          )
        })}
      </svg>
      <ChartEnds first={formatPageDay(from)} last={last && formatPageDay(last)} />
    </figure>
  )
}

const formatIsoDay = (at: Date) => kampalaIso(at).slice(0, 'YYYY-MM-DD'.length)

function sumNeedsByDay(runs: readonly ForecastRun[]): Map<string, { need: number; short: boolean }> {
  const days = new Map<string, { need: number; short: boolean }>()
  for (const { at, amount, fees, after } of runs) {
    const day = days.get(formatIsoDay(at))
    days.set(formatIsoDay(at), {
      need: (day?.need ?? 0) + amount + fees,
      short: (day?.short ?? false) || after < 0,
    })
  }
  return days
}
