import { dayBounds } from '../../../platform/time/kampala.ts'
import type { DayTally } from '../../../reports/tallies/tally-days.ts'
import { Chart } from '../../parts/chart.tsx'
import { formatPageDay, formatPageTime, Money, Section } from '../../parts/parts.tsx'
import { Stacks } from '../../parts/stacks.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { HOME } from '../texts/home.ts'

const { figures, chart, reasons } = HOME
const NUMBER_FORMAT = new Intl.NumberFormat('en-US')
const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`

type TallySum = Omit<DayTally, 'day'>
const computeSuccessRate = ({ succeeded, failed }: TallySum): number | null =>
  succeeded + failed === 0 ? null : succeeded / (succeeded + failed)

/** Today and the last 30 days: volume, count, success rate, and why charges failed. */
export function Figures({ tallies: { days, asOf } }: { tallies: { days: readonly DayTally[]; asOf: Date } }) {
  const today = days.at(-1)
  const month = sumTallies(days)
  return (
    <Section title={HOME.month} aside={<span class="hint">{figures.asOf(formatPageTime(asOf))}</span>}>
      <div class="cards">
        {today !== undefined && <Volume title={HOME.today} sum={today} />}
        <Volume title={HOME.month} sum={month} />
        <Rate sum={month} />
        <Failures sum={month} />
      </div>
      {month.succeeded + month.failed > 0 && <Volumes days={days} />}
      {month.failed > 0 && (
        <Stacks
          title={chart.failures}
          nameOf={chart.columns.name}
          parts={FAILURE_REASONS.map((name) => reasons[name])}
          columns={days.map((day) => ({
            name: formatDay(day),
            counts: FAILURE_REASONS.map((name) => day[name]),
          }))}
        />
      )}
    </Section>
  )
}

/** Volume and success rate of each day. */
const Volumes = ({ days }: { days: readonly DayTally[] }) => (
  <Chart
    title={chart.title}
    columns={chart.columns}
    shown={{ bar: formatShillings, share: formatPercent }}
    points={days.map((day) => ({
      name: formatDay(day),
      bar: day.volume,
      share: computeSuccessRate(day),
      says: chart.point(day.day, formatShillings(day.volume), day.succeeded, day.failed),
    }))}
  />
)

const FAILURE_REASONS = Object.keys(reasons) as (keyof typeof reasons)[] // Exactly the keys of the record.
/** `22 Nov`. */
const formatDay = ({ day }: DayTally) => formatPageDay(dayBounds(day).start).slice(0, -5)

const Volume = ({ title, sum }: { title: string; sum: TallySum }) => (
  <div>
    <p class="quiet">{title}</p>
    <p class="big">
      <Money amount={sum.volume} />
    </p>
    <p class="hint">{figures.count(NUMBER_FORMAT.format(sum.succeeded))}</p>
  </div>
)

function Rate({ sum }: { sum: TallySum }) {
  const rate = computeSuccessRate(sum)
  return (
    <div>
      <p class="quiet">{figures.rate}</p>
      <p class="big">{rate === null ? '–' : formatPercent(rate)}</p>
      <p class="hint">{figures.of(NUMBER_FORMAT.format(sum.succeeded + sum.failed))}</p>
    </div>
  )
}

function Failures({ sum }: { sum: TallySum }) {
  const occurred = FAILURE_REASONS.filter((name) => sum[name] > 0)
  return (
    <div>
      <p class="quiet">{figures.failures}</p>
      {occurred.length === 0 ? (
        <p>{figures.noFailures}</p>
      ) : (
        <ul class="plain">
          {occurred.map((name) => (
            <li>
              {NUMBER_FORMAT.format(sum[name])} {reasons[name]}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function sumTallies(days: readonly DayTally[]): TallySum {
  const add = (name: keyof TallySum) => days.reduce((sum, day) => sum + day[name], 0)
  return {
    ...{ succeeded: add('succeeded'), failed: add('failed'), volume: add('volume'), fees: add('fees') },
    insufficientFunds: add('insufficientFunds'),
    userCancelled: add('userCancelled'),
    timeout: add('timeout'),
    railRejected: add('railRejected'),
  }
}
