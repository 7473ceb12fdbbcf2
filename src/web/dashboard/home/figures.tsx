import { dayBounds } from '../../../platform/time/kampala.ts'
import type { ChargeFailure } from '../../../rails/rail.ts'
import type { DayTally } from '../../../reports/tallies/tally-days.ts'
import { CHARGE_FAILURE_WORDS } from '../../../reports/words/failures.ts'
import { Chart } from '../../parts/chart.tsx'
import { formatPageDay, formatPageTime, Money, Section } from '../../parts/parts.tsx'
import { Stacks } from '../../parts/stacks.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { HOME } from '../texts/home.ts'

const { figures, chart } = HOME
const NUMBER_FORMAT = new Intl.NumberFormat('en-US')
const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`

type TallySum = Omit<DayTally, 'day'>
const computeSuccessRate = ({ succeeded, failed }: TallySum): number | null =>
  succeeded + failed === 0 ? null : succeeded / (succeeded + failed)

/** Today and the last 30 days: volume, count, success rate, and why charges failed. */
export function Figures({ tallies: { days, asOf } }: { tallies: { days: readonly DayTally[]; asOf: Date } }) {
  const month = sumTallies(days)
  const shown = days.slice(-Math.max(MIN_DAYS_SHOWN, days.length - firstDayOf(days)))
  return (
    <Section title={HOME.month} aside={<span class="hint">{figures.asOf(formatPageTime(asOf))}</span>}>
      <div class="cards">
        <Volume title={HOME.month} sum={month} />
        <Rate sum={month} />
        <Failures sum={month} />
      </div>
      {month.succeeded + month.failed > 0 && <Volumes days={shown} />}
      {month.failed > 0 && (
        <Stacks
          title={chart.failures}
          nameOf={chart.columns.name}
          parts={FAILURE_REASONS.map(({ reason }) => CHARGE_FAILURE_WORDS[reason].brief)}
          columns={shown.map((day) => ({
            name: formatDay(day),
            counts: FAILURE_REASONS.map(({ name }) => day[name]),
          }))}
        />
      )}
    </Section>
  )
}

const DAYS_OF_WEEK = 7

/** What customers paid today, and on the same day a week ago. */
export function CameIn({ days }: { days: readonly DayTally[] }) {
  const today = days.at(-1)
  const before = days.at(-1 - DAYS_OF_WEEK)
  if (today === undefined) return null
  return (
    <div>
      <p class="quiet">{HOME.cameIn.title}</p>
      <p class="big">
        <Money amount={today.volume} />
      </p>
      <p class="hint">
        {figures.count(NUMBER_FORMAT.format(today.succeeded))}
        {before !== undefined && before.succeeded > 0 && (
          <>
            {'. '}
            {HOME.cameIn.against(
              formatWeekday(before),
              formatShillings(before.volume),
              figures.count(NUMBER_FORMAT.format(before.succeeded)),
            )}
          </>
        )}
      </p>
    </div>
  )
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const formatWeekday = ({ day }: DayTally) => WEEKDAYS[new Date(`${day}T12:00:00.000Z`).getUTCDay()] ?? ''

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

const FAILURE_REASONS = [
  { name: 'insufficientFunds', reason: 'insufficient_funds' },
  { name: 'userCancelled', reason: 'user_cancelled' },
  { name: 'timeout', reason: 'timeout' },
  { name: 'railRejected', reason: 'rail_rejected' },
] as const satisfies readonly { name: keyof TallySum; reason: ChargeFailure }[]
// A young shop sees its own days, not an empty month.
const MIN_DAYS_SHOWN = 7
const firstDayOf = (days: readonly DayTally[]) => {
  const first = days.findIndex(({ succeeded, failed }) => succeeded + failed > 0)
  return first === -1 ? days.length : first
}
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
  const occurred = FAILURE_REASONS.filter(({ name }) => sum[name] > 0)
  return (
    <div>
      <p class="quiet">{figures.failures}</p>
      {occurred.length === 0 ? (
        <p>{figures.noFailures}</p>
      ) : (
        <ul class="plain">
          {occurred.map(({ name, reason }) => (
            <li>
              {NUMBER_FORMAT.format(sum[name])} {CHARGE_FAILURE_WORDS[reason].brief}
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
