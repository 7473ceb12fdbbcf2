import type { ServiceStatus, StatusDay, StatusMeasure } from '../../operations/overview/service-status.ts'
import type { ServiceKind } from '../../platform/log/service-counts.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import { channelName } from '../../reports/words/channels.ts'
import { DocsShell, renderDocument } from './pages.tsx'

const KINDS: Readonly<Record<ServiceKind, { name: string; means: string; good: number; fair: number }>> = {
  answers: {
    name: 'Good answers of the API',
    means: 'Answers to live keys that were no fault of ours: none from 500 on.',
    ...{ good: 99.9, fair: 99 },
  },
  prompts: {
    name: 'Prompts answered',
    means: 'Live charges that ended with an answer, yes or no, before they timed out.',
    ...{ good: 80, fair: 50 },
  },
  webhooks: {
    name: 'Webhooks on time',
    means: 'Live webhooks whose first attempt began within ten seconds, of receivers that answer.',
    ...{ good: 99.9, fair: 99 },
  },
}

/** Renders how the service did on its last days, from its own traffic. */
export function renderStatusPage({ asOf, measures }: ServiceStatus): string {
  return renderDocument(
    <DocsShell title="Status" path="/status" styles={['status.css']}>
      <main class="column">
        <h1>Status</h1>
        <p class="lead">Measured from the real traffic of the last 90 days, today included.</p>
        {measures.map((measure) => (
          <Measure {...measure} />
        ))}
        <h2 id="how">How it is measured</h2>
        <p>
          Each process counts what it does in live mode; test mode is not counted. Days are those of Kampala. A day with
          fewer than 20 is shown as "few", because it would tell more about one business than about the service. A day
          without any is shown as "no data", also where the service did not run: a request that never reached us is not
          counted. Shares are rounded down.
        </p>
        <p>
          As of {kampalaTime(asOf)}, Kampala. The same for programs: <a href="/status.json">status.json</a>; whether it
          answers now: <a href="/healthz">healthz</a>.
        </p>
        <details>
          <summary>Every day</summary>
          <DayTable measures={measures} />
        </details>
      </main>
    </DocsShell>,
  )
}

/** The status for programs. */
export const presentStatus = ({ asOf, measures }: ServiceStatus) => ({
  object: 'service_status',
  as_of: asOf.toISOString(),
  days_of: 'Africa/Kampala',
  measures: measures.map(({ kind, channel, percent, days }) => ({ kind, channel, percent, days })),
})

const nameOf = ({ kind, channel }: StatusMeasure) =>
  channel === null ? KINDS[kind].name : `${KINDS[kind].name}, ${channelName(channel)}`

function Measure(measure: StatusMeasure) {
  const { kind, percent, days } = measure
  return (
    <section class="measure">
      <h2>{nameOf(measure)}</h2>
      <p class="share">
        <strong>{percent === null ? 'Too few to say' : `${percent} %`}</strong> <span>{KINDS[kind].means}</span>
      </p>
      <div class="days" role="img" aria-label={describeDays(days)}>
        {days.map((day) => (
          <i class={levelOf(kind, day)} title={`${day.day}: ${sayDay(day)}`} />
        ))}
      </div>
      <p class="ends">
        <span>{days[0]?.day}</span> <span>today</span>
      </p>
    </section>
  )
}

function levelOf(kind: ServiceKind, day: StatusDay): string {
  if (day.state !== 'measured') return day.state === 'few' ? 'few' : 'none'
  if (day.percent >= KINDS[kind].good) return 'good'
  return day.percent >= KINDS[kind].fair ? 'fair' : 'poor'
}

const sayDay = (day: StatusDay): string =>
  day.state === 'measured' ? `${day.percent} %` : day.state === 'few' ? 'few' : 'no data'

/** What the bars say, for those who do not see them. */
function describeDays(days: readonly StatusDay[]): string {
  const measured = days.flatMap((day) => (day.state === 'measured' ? [day] : []))
  const lowest = measured.reduce<(typeof measured)[number] | null>(
    (low, day) => (low === null || day.percent < low.percent ? day : low),
    null,
  )
  const few = days.filter(({ state }) => state === 'few').length
  const counts = `${measured.length} days measured, ${few} with few, ${days.length - measured.length - few} without data`
  return lowest === null ? counts : `${counts}. Lowest: ${lowest.percent} % on ${lowest.day}`
}

const DayTable = ({ measures }: { measures: readonly StatusMeasure[] }) => (
  <div class="table" tabIndex={0} role="region" aria-label="Every day">
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {measures.map((measure) => (
            <th scope="col">{nameOf(measure)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(measures[0]?.days ?? [])
          .map(({ day }, nth) => (
            <tr>
              <td>{day}</td>
              {measures.map(({ days }) => (
                <td>{sayDay(days[nth] as StatusDay)}</td>
              ))}
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  </div>
)
