import { listProcesses, type ServiceProcess, SILENT_AFTER_MS, workerAgeMs } from '../../../operations/jobs/process.ts'
import { isLate, type Job, lagMs, listJobs } from '../../../operations/jobs/read-jobs.ts'
import { listRequestedRuns, type RunRequest } from '../../../operations/jobs/requested-runs.ts'
import { listVerifyRuns } from '../../../operations/verify/verify-runs.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { JOBS } from '../texts/jobs.ts'
import type { ConsoleVisit } from '../visit.ts'
import { formatAge } from './age.ts'
import { VerifyRuns } from './verify-runs.tsx'

const { processes: process, tasks, asked } = JOBS
const VERIFY_RUNS_SHOWN = 7

export const RUN_FORM: FormSpec = {
  path: '/jobs/:id/run',
  action: 'sweep.run',
  fields: [],
  submit: tasks.run,
  plain: true,
}

const buildProcessColumns = (nowMs: number): readonly ListColumn<ServiceProcess>[] => [
  { title: process.columns.id, cell: ({ id }) => <code>{id.slice(0, 8)}</code> },
  { title: process.columns.role, cell: ({ role }) => role },
  {
    title: process.state,
    cell: ({ seenAt }) =>
      nowMs - seenAt.getTime() > SILENT_AFTER_MS ? (
        <Status word={process.silent} tone="bad" />
      ) : (
        <Status word={process.alive} tone="good" />
      ),
  },
  column.time(process.columns.started, ({ startedAt }) => startedAt),
  { title: process.columns.seen, cell: ({ seenAt }) => formatAge(nowMs - seenAt.getTime()), figures: true },
]

function JobStatus({ job, nowMs }: { job: Job; nowMs: number }) {
  if (job.failures > 0)
    return (
      <>
        <Status word={tasks.fails} tone="bad" />
        <p class="hint">
          {tasks.failures(job.failures)}: <OutsideText text={job.lastError} />
        </p>
      </>
    )
  return isLate(job, nowMs) ? <Status word={tasks.late} tone="warn" /> : <Status word={tasks.works} tone="good" />
}

const buildTaskColumns = (visit: ConsoleVisit, nowMs: number): readonly ListColumn<Job>[] => [
  { title: tasks.columns.sweep, cell: ({ sweep }) => <code>{sweep}</code> },
  { title: tasks.columns.cell, cell: ({ cell }) => cell },
  { title: tasks.columns.state, cell: (job) => <JobStatus job={job} nowMs={nowMs} /> },
  column.time(tasks.columns.last, ({ lastAt }) => lastAt),
  { title: tasks.columns.took, cell: ({ tookMs }) => tasks.milliseconds(tookMs), figures: true },
  {
    title: tasks.columns.handled,
    cell: ({ handled, handledAt }) =>
      handled === null ? null : (
        <>
          {tasks.handled(handled)}
          <p class="hint">
            <Time at={handledAt} />
          </p>
        </>
      ),
    figures: true,
  },
  column.time(tasks.columns.due, ({ oldestDueAt }) => oldestDueAt),
  { title: tasks.columns.lag, cell: (job) => formatAge(lagMs(job, nowMs)), figures: true },
  {
    title: tasks.columns.run,
    cell: ({ cell, sweep }) => (
      <FormBox
        of={RUN_FORM}
        visit={visit}
        params={{ id: `${cell}.${sweep}` }}
        named={tasks.runOne(sweep, cell)}
        compact
      />
    ),
  },
]

function RunRequestStatus({ of: { claimedAt, endedAt, error } }: { of: RunRequest }) {
  const { states } = asked
  if (endedAt !== null)
    return error === null ? <Status word={states.done} tone="good" /> : <Status word={states.failed} tone="bad" />
  return <Status word={claimedAt === null ? states.waits : states.runs} tone="open" />
}

const RUN_REQUEST_COLUMNS: readonly ListColumn<RunRequest>[] = [
  { title: asked.columns.sweep, cell: ({ sweep }) => <code>{sweep}</code> },
  { title: asked.columns.cell, cell: ({ cell }) => cell },
  column.text(asked.columns.by, ({ askedBy }) => askedBy),
  column.time(asked.columns.at, ({ askedAt }) => askedAt),
  {
    title: asked.columns.state,
    cell: (runRequest) => (
      <>
        <RunRequestStatus of={runRequest} />
        {runRequest.error !== null && (
          <p class="hint">
            <OutsideText text={runRequest.error} />
          </p>
        )}
      </>
    ),
  },
  {
    title: asked.columns.handled,
    cell: ({ handled }) => (handled === null ? null : tasks.handled(handled)),
    figures: true,
  },
]

/** Shows the background tasks, when each last ran, how far it is behind, and the processes that run them. */
export async function showJobs(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, now } = visit
  const nowMs = now.getTime()
  const [jobs, processes, requests, runs] = await Promise.all([
    listJobs(gateway),
    listProcesses(gateway),
    listRequestedRuns(gateway),
    listVerifyRuns(gateway, VERIFY_RUNS_SHOWN),
  ])
  const age = workerAgeMs(processes, nowMs)
  return pageReply(
    JOBS.title,
    <>
      <h1>{JOBS.title}</h1>
      <p>{JOBS.lead}</p>
      {state?.fault != null && <Note tone="warn">{state.fault}</Note>}
      {(age === null || age > SILENT_AFTER_MS) && <Note tone="bad">{process.noWorker}</Note>}
      <Section title={tasks.title} id="tasks">
        {jobs.length === 0 ? (
          <Empty title={tasks.none} />
        ) : (
          <Table caption={tasks.title} rows={jobs} columns={buildTaskColumns(visit, nowMs)} />
        )}
      </Section>
      {requests.length > 0 && (
        <Section title={asked.title} id="asked">
          <Table caption={asked.title} rows={requests} columns={RUN_REQUEST_COLUMNS} />
        </Section>
      )}
      <Section title={process.title} id="processes">
        {processes.length === 0 ? (
          <Empty title={process.none} />
        ) : (
          <Table caption={process.title} rows={processes} columns={buildProcessColumns(nowMs)} />
        )}
      </Section>
      <VerifyRuns runs={runs} />
    </>,
    { status: state?.status ?? 200 },
  )
}
