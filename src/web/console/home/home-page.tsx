import type { ComponentChildren } from 'preact'
import { SILENT_AFTER_MS, workerAgeMs } from '../../../operations/jobs/process.ts'
import { isLate } from '../../../operations/jobs/read-jobs.ts'
import { readServiceFigures, type ServiceFigures } from '../../../operations/overview/service-figures.ts'
import { sumBreaks } from '../../../operations/overview/sum-figures.ts'
import { findEarliest } from '../../../platform/time/earliest.ts'
import { belongsTo } from '../../parts/navigation.ts'
import { formatPageTime, Section, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatAge } from '../jobs/age.ts'
import { CONSOLE_NAVIGATION } from '../navigation.ts'
import { CONSOLE_HOME_TEXTS } from '../texts/home.ts'
import type { ConsoleVisit } from '../visit.ts'
import { LateTasksTable, RailsTable, UnderWayTable } from './home-tables.tsx'
import { WorkCard } from './work-card.tsx'

const { count } = CONSOLE_HOME_TEXTS

/** Whether the navigation has a page with this path. */
function hasPage(path: string): boolean {
  const [withoutHash = path] = path.split('#', 1)
  return CONSOLE_NAVIGATION.some(({ entries }) => entries.some((entry) => belongsTo(withoutHash, entry.path)))
}

/** A card with figures. Its title links to the page about them if the console has that page. */
function FigureCard({
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
      <p class="quiet">{hasPage(path) ? <a href={visit.to(path)}>{title}</a> : title}</p>
      {children}
    </div>
  )
}

const Figure = ({ word, tone }: { word: string; tone: 'good' | 'bad' | 'warn' }) => (
  <p class="big">
    <Status word={word} tone={tone} />
  </p>
)

type HomeCardProps = { visit: ConsoleVisit; figures: ServiceFigures }
const formatAgeAt = ({ at: now }: ServiceFigures, at: Date) => formatAge(now.getTime() - at.getTime())

function AlertsCard({ visit, figures }: HomeCardProps) {
  const { alerts } = figures
  const oldest = findEarliest(alerts.map(({ since }) => since))
  return (
    <FigureCard visit={visit} title={CONSOLE_HOME_TEXTS.alerts.title} path="/alerts">
      {alerts.length === 0 ? (
        <Figure word={CONSOLE_HOME_TEXTS.alerts.none} tone="good" />
      ) : (
        <Figure word={count(alerts.length)} tone="bad" />
      )}
      {oldest !== null && <p class="hint">{CONSOLE_HOME_TEXTS.alerts.oldest(formatAgeAt(figures, oldest))}</p>}
    </FigureCard>
  )
}

function ExceptionsCard({ visit, figures }: HomeCardProps) {
  const critical = sumBreaks(figures, 'critical')
  const major = sumBreaks(figures, 'major')
  const oldest = findEarliest([critical.oldest, major.oldest])
  return (
    <FigureCard visit={visit} title={CONSOLE_HOME_TEXTS.breaks.title} path="/reconciliation/exceptions">
      {critical.count > 0 ? (
        <Figure word={CONSOLE_HOME_TEXTS.breaks.critical(count(critical.count))} tone="bad" />
      ) : (
        <Figure
          word={major.count > 0 ? CONSOLE_HOME_TEXTS.breaks.major(count(major.count)) : CONSOLE_HOME_TEXTS.breaks.none}
          tone={major.count > 0 ? 'warn' : 'good'}
        />
      )}
      {critical.count > 0 && major.count > 0 && (
        <p class="hint">{CONSOLE_HOME_TEXTS.breaks.major(count(major.count))}</p>
      )}
      {oldest !== null && <p class="hint">{CONSOLE_HOME_TEXTS.breaks.oldest(formatAgeAt(figures, oldest))}</p>}
    </FigureCard>
  )
}

function WorkersCard({ visit, figures }: HomeCardProps) {
  const { processes, jobs, at } = figures
  const age = workerAgeMs(processes, at.getTime())
  const alive = processes.filter(
    ({ role, seenAt }) => role !== 'web' && at.getTime() - seenAt.getTime() <= SILENT_AFTER_MS,
  )
  const late = jobs.filter((job) => isLate(job, at.getTime()) || job.failures > 0)
  return (
    <FigureCard visit={visit} title={CONSOLE_HOME_TEXTS.workers.title} path="/jobs">
      {age === null || age > SILENT_AFTER_MS ? (
        <Figure
          word={age === null ? CONSOLE_HOME_TEXTS.workers.none : CONSOLE_HOME_TEXTS.workers.heard(formatAge(age))}
          tone="bad"
        />
      ) : (
        <Figure word={CONSOLE_HOME_TEXTS.workers.heard(formatAge(age))} tone="good" />
      )}
      <p class="hint">{CONSOLE_HOME_TEXTS.workers.count(count(alive.length))}</p>
      {(age !== null || late.length > 0) && (
        <p class="hint">
          {late.length === 0 ? CONSOLE_HOME_TEXTS.workers.onTime : CONSOLE_HOME_TEXTS.workers.late(count(late.length))}
        </p>
      )}
    </FigureCard>
  )
}

function WebhooksCard({ visit, figures }: HomeCardProps) {
  const webhooks = figures.cells.map((cell) => cell.webhooks)
  const pending = webhooks.reduce((sum, cellWebhooks) => sum + cellWebhooks.pending, 0)
  const failing = webhooks.reduce((sum, cellWebhooks) => sum + cellWebhooks.failing, 0)
  const due = findEarliest(webhooks.map(({ oldestDueAt }) => oldestDueAt))
  const overdue = due !== null && due.getTime() < figures.at.getTime()
  return (
    <FigureCard visit={visit} title={CONSOLE_HOME_TEXTS.webhooks.title} path="/jobs">
      <Figure word={CONSOLE_HOME_TEXTS.webhooks.pending(count(pending))} tone={failing > 0 ? 'warn' : 'good'} />
      <p class="hint">
        {overdue ? CONSOLE_HOME_TEXTS.webhooks.oldest(formatAgeAt(figures, due)) : CONSOLE_HOME_TEXTS.webhooks.onTime}
      </p>
      <p class="hint">
        {failing === 0 ? CONSOLE_HOME_TEXTS.webhooks.allGood : CONSOLE_HOME_TEXTS.webhooks.failing(count(failing))}
      </p>
    </FigureCard>
  )
}

function VerifyCard({ visit, figures }: HomeCardProps) {
  const { verify, verified } = figures
  const broken = verify.reduce((sum, { violations }) => sum + (violations ?? 0), 0)
  const provenAt = verified.map(({ at }) => at)
  const oldest = provenAt.includes(null) ? null : findEarliest(provenAt)
  return (
    <FigureCard visit={visit} title={CONSOLE_HOME_TEXTS.verify.title} path="/jobs#verify">
      {broken > 0 ? (
        <Figure word={CONSOLE_HOME_TEXTS.verify.broken(count(broken))} tone="bad" />
      ) : oldest === null ? (
        <Figure word={CONSOLE_HOME_TEXTS.verify.never} tone="warn" />
      ) : (
        <Figure word={CONSOLE_HOME_TEXTS.verify.held(formatAgeAt(figures, oldest))} tone="good" />
      )}
    </FigureCard>
  )
}

/** Shows the state of the service: money under way, alerts, operators, workers, webhooks and the last proof of the books. */
export async function showHome(visit: ConsoleVisit): Promise<SurfaceReply> {
  const figures = await readServiceFigures(visit.gateway)
  return pageReply(
    CONSOLE_HOME_TEXTS.title,
    <>
      <h1>{CONSOLE_HOME_TEXTS.title}</h1>
      <p class="hint">{CONSOLE_HOME_TEXTS.asOf(formatPageTime(figures.at))}</p>
      <div class="cards">
        <WorkCard visit={visit} />
        <AlertsCard visit={visit} figures={figures} />
        <ExceptionsCard visit={visit} figures={figures} />
        <WorkersCard visit={visit} figures={figures} />
        <WebhooksCard visit={visit} figures={figures} />
        <VerifyCard visit={visit} figures={figures} />
      </div>
      <Section
        title={CONSOLE_HOME_TEXTS.underWay.title}
        aside={<a href={visit.to('/parked')}>{CONSOLE_HOME_TEXTS.underWay.parked}</a>}
      >
        <p>{CONSOLE_HOME_TEXTS.underWay.lead}</p>
        <UnderWayTable figures={figures} />
        <p class="hint">{CONSOLE_HOME_TEXTS.underWay.more}</p>
      </Section>
      <Section
        title={CONSOLE_HOME_TEXTS.rails.title}
        aside={hasPage('/rails') ? <a href={visit.to('/rails')}>{CONSOLE_HOME_TEXTS.rails.all}</a> : undefined}
      >
        <RailsTable figures={figures} />
      </Section>
      <Section
        title={CONSOLE_HOME_TEXTS.sweeps.title}
        aside={<a href={visit.to('/jobs')}>{CONSOLE_HOME_TEXTS.sweeps.all}</a>}
      >
        <LateTasksTable figures={figures} />
      </Section>
    </>,
  )
}
