import type { ComponentChildren } from 'preact'
import { SILENT_AFTER_MS, workerAgeMs } from '../../jobs/process.ts'
import { isLate } from '../../jobs/read-jobs.ts'
import { type ServiceFigures, serviceFigures } from '../../overview/service-figures.ts'
import { breaksOf } from '../../overview/sums.ts'
import { belongsTo } from '../../pages/navigation.ts'
import { Section, Status, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { earliest } from '../../platform/earliest.ts'
import { ageText } from '../jobs/age.ts'
import { NAVIGATION } from '../navigation.ts'
import { HOME } from '../texts/home.ts'
import { type ConsoleRoute, type ConsoleVisit, page } from '../visit.ts'
import { Furthest, Rails, UnderWayTable } from './tables.tsx'
import { WorkCard } from './work-card.tsx'

const { count } = HOME

/** Whether the navigation has a page with this path. */
function isThere(path: string): boolean {
  const [withoutHash = path] = path.split('#', 1)
  return NAVIGATION.some(({ entries }) => entries.some((entry) => belongsTo(withoutHash, entry.path)))
}

/** A card with figures. Its title links to the page about them if the console has that page. */
function Card({
  visit,
  title,
  path,
  children,
}: {
  visit: ConsoleVisit
  title: string
  path: string
  children: ComponentChildren
}) {
  return (
    <div>
      <p class="quiet">{isThere(path) ? <a href={visit.to(path)}>{title}</a> : title}</p>
      {children}
    </div>
  )
}

const Figure = ({ word, tone }: { word: string; tone: 'good' | 'bad' | 'warn' }) => (
  <p class="big">
    <Status word={word} tone={tone} />
  </p>
)

type CardProps = { visit: ConsoleVisit; figures: ServiceFigures }
const ageOf = ({ at: now }: ServiceFigures, at: Date) => ageText(now.getTime() - at.getTime())

function AlertsCard({ visit, figures }: CardProps) {
  const { alerts } = figures
  const oldest = earliest(alerts.map(({ since }) => since))
  return (
    <Card visit={visit} title={HOME.alerts.title} path="/alerts">
      {alerts.length === 0 ? (
        <Figure word={HOME.alerts.none} tone="good" />
      ) : (
        <Figure word={count(alerts.length)} tone="bad" />
      )}
      {oldest !== null && <p class="hint">{HOME.alerts.oldest(ageOf(figures, oldest))}</p>}
    </Card>
  )
}

function BreaksCard({ visit, figures }: CardProps) {
  const critical = breaksOf(figures, 'critical')
  const major = breaksOf(figures, 'major')
  const oldest = earliest([critical.oldest, major.oldest])
  return (
    <Card visit={visit} title={HOME.breaks.title} path="/reconciliation/exceptions">
      {critical.count > 0 ? (
        <Figure word={HOME.breaks.critical(count(critical.count))} tone="bad" />
      ) : (
        <Figure
          word={major.count > 0 ? HOME.breaks.major(count(major.count)) : HOME.breaks.none}
          tone={major.count > 0 ? 'warn' : 'good'}
        />
      )}
      {critical.count > 0 && major.count > 0 && <p class="hint">{HOME.breaks.major(count(major.count))}</p>}
      {oldest !== null && <p class="hint">{HOME.breaks.oldest(ageOf(figures, oldest))}</p>}
    </Card>
  )
}

function WorkersCard({ visit, figures }: CardProps) {
  const { processes, jobs, at } = figures
  const age = workerAgeMs(processes, at.getTime())
  const alive = processes.filter(
    ({ role, seenAt }) => role !== 'web' && at.getTime() - seenAt.getTime() <= SILENT_AFTER_MS,
  )
  const late = jobs.filter((job) => isLate(job, at.getTime()) || job.failures > 0)
  return (
    <Card visit={visit} title={HOME.workers.title} path="/jobs">
      {age === null || age > SILENT_AFTER_MS ? (
        <Figure word={age === null ? HOME.workers.none : HOME.workers.heard(ageText(age))} tone="bad" />
      ) : (
        <Figure word={HOME.workers.heard(ageText(age))} tone="good" />
      )}
      <p class="hint">{HOME.workers.count(count(alive.length))}</p>
      {(age !== null || late.length > 0) && (
        <p class="hint">{late.length === 0 ? HOME.workers.onTime : HOME.workers.late(count(late.length))}</p>
      )}
    </Card>
  )
}

function WebhooksCard({ visit, figures }: CardProps) {
  const webhooks = figures.cells.map((cell) => cell.webhooks)
  const pending = webhooks.reduce((sum, cellWebhooks) => sum + cellWebhooks.pending, 0)
  const failing = webhooks.reduce((sum, cellWebhooks) => sum + cellWebhooks.failing, 0)
  const due = earliest(webhooks.map(({ oldestDueAt }) => oldestDueAt))
  const overdue = due !== null && due.getTime() < figures.at.getTime()
  return (
    <Card visit={visit} title={HOME.webhooks.title} path="/jobs">
      <Figure word={HOME.webhooks.pending(count(pending))} tone={failing > 0 ? 'warn' : 'good'} />
      <p class="hint">{overdue ? HOME.webhooks.oldest(ageOf(figures, due)) : HOME.webhooks.onTime}</p>
      <p class="hint">{failing === 0 ? HOME.webhooks.allGood : HOME.webhooks.failing(count(failing))}</p>
    </Card>
  )
}

function VerifyCard({ visit, figures }: CardProps) {
  const { verify, verified } = figures
  const broken = verify.reduce((sum, { violations }) => sum + (violations ?? 0), 0)
  const provenAt = verified.map(({ at }) => at)
  const oldest = provenAt.includes(null) ? null : earliest(provenAt)
  return (
    <Card visit={visit} title={HOME.verify.title} path="/jobs#verify">
      {broken > 0 ? (
        <Figure word={HOME.verify.broken(count(broken))} tone="bad" />
      ) : oldest === null ? (
        <Figure word={HOME.verify.never} tone="warn" />
      ) : (
        <Figure word={HOME.verify.held(ageOf(figures, oldest))} tone="good" />
      )}
    </Card>
  )
}

/** Shows the state of the service: money under way, alerts, operators, workers, webhooks and the last proof of the books. */
async function showHome(visit: ConsoleVisit): Promise<Shown> {
  const figures = await serviceFigures(visit.gateway)
  return shownPage(
    HOME.title,
    <>
      <h1>{HOME.title}</h1>
      <p class="hint">{HOME.asOf(timeText(figures.at))}</p>
      <div class="cards">
        <WorkCard visit={visit} />
        <AlertsCard visit={visit} figures={figures} />
        <BreaksCard visit={visit} figures={figures} />
        <WorkersCard visit={visit} figures={figures} />
        <WebhooksCard visit={visit} figures={figures} />
        <VerifyCard visit={visit} figures={figures} />
      </div>
      <Section title={HOME.underWay.title} aside={<a href={visit.to('/parked')}>{HOME.underWay.parked}</a>}>
        <p>{HOME.underWay.lead}</p>
        <UnderWayTable figures={figures} />
        <p class="hint">{HOME.underWay.more}</p>
      </Section>
      <Section
        title={HOME.rails.title}
        aside={isThere('/rails') ? <a href={visit.to('/rails')}>{HOME.rails.all}</a> : undefined}
      >
        <Rails figures={figures} />
      </Section>
      <Section title={HOME.sweeps.title} aside={<a href={visit.to('/jobs')}>{HOME.sweeps.all}</a>}>
        <Furthest figures={figures} />
      </Section>
    </>,
  )
}

export const HOME_ROUTES: readonly ConsoleRoute[] = [page('/', showHome)]
