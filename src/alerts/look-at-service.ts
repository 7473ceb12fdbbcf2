import type { App } from '../app.ts'
import { listProcesses, SILENT_AFTER_MS, workerAgeMs } from '../jobs/process.ts'
import { isLate, lagMs, listJobs } from '../jobs/read-jobs.ts'
import { later } from '../platform/clock.ts'
import { statement } from '../platform/db/statement.ts'
import { lastVerified } from '../verify/verify-runs.ts'
import { actsToTell } from './acts-to-tell.ts'
import type { Alarm, AlertKind } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

// What processes tell of themselves and what people did to operators and keys belongs to no cell: whoever looks first records it.
const PLACE = 'service'
const KINDS: readonly AlertKind[] = [
  'worker_silent',
  'sweep_behind',
  'verify_late',
  'limiter_down',
  'log_dropped',
  'operators_changed',
  'master_key',
]
const VERIFY_LATE_MS = 36 * 3_600_000
const TROUBLE_MS = 10 * 60_000

type Trouble = {
  id: string
  uncountedAt: Date | null
  uncounted: number
  droppedAt: Date | null
  dropped: number
}
const TROUBLES = statement<Trouble>(
  'alert: troubles of processes',
  `select id, uncounted_at as "uncountedAt", uncounted, dropped_at as "droppedAt", dropped from processes
   where uncounted_at > $1 or dropped_at > $1 order by seen_at desc limit 20`,
)
/** Records what is wrong with the processes and tasks of the service, and acts that a person must know of. Answers how many conditions hold. */
export async function lookAtService(app: Pick<App, 'directory'>, at: Date): Promise<number> {
  const nowMs = at.getTime()
  const before = (ms: number) => later(at, -ms).toISOString()
  const [seen, jobs, verified, troubles, acts] = await Promise.all([
    listProcesses(app),
    listJobs(app),
    lastVerified(app),
    app.directory.query(TROUBLES, [before(TROUBLE_MS)]),
    actsToTell(app, at),
  ])
  const age = workerAgeMs(seen, nowMs)
  const found: Alarm[] = [
    ...(age === null || age <= SILENT_AFTER_MS ? [] : [silent(later(at, -age))]),
    ...jobs
      .filter((job) => isLate(job, nowMs))
      .map(({ cell, sweep, workedAt, failures, ...job }) => ({
        kind: 'sweep_behind' as const,
        subject: `${cell} ${sweep} runs`,
        says: `the task ${sweep} of ${cell} has not worked since ${workedAt.toISOString()}${failures > 0 ? ` and failed ${failures} times: ${job.lastError}` : ''}`,
        size: Math.round(lagMs({ cell, sweep, workedAt, failures, ...job }, nowMs) / 1000),
        since: workedAt,
      })),
    ...verified.flatMap(({ cell, at: last, first }) => lateVerify(cell, last ?? first, at)),
    ...troubles.flatMap((trouble) => troubleAlarms(trouble, at)),
    ...acts,
  ]
  await recordLook(app.directory, { place: PLACE, kinds: KINDS, found, at })
  return found.length
}

const silent = (since: Date): Alarm => ({
  kind: 'worker_silent',
  subject: 'workers',
  says: `no worker has been heard since ${since.toISOString()}`,
  size: 1,
  since,
})

const lateVerify = (cell: string, since: Date | null, at: Date): Alarm[] =>
  since === null || at.getTime() - since.getTime() <= VERIFY_LATE_MS
    ? []
    : [
        {
          kind: 'verify_late',
          subject: cell,
          says: `verify of ${cell} has not ended well since ${since.toISOString()}`,
          size: Math.floor((at.getTime() - since.getTime()) / 3_600_000),
          since,
        },
      ]

function troubleAlarms({ id, uncountedAt, uncounted, droppedAt, dropped }: Trouble, at: Date): Alarm[] {
  const recent = (when: Date | null): when is Date =>
    when !== null && at.getTime() - when.getTime() < TROUBLE_MS
  const name = id.slice(0, 8)
  return [
    ...(recent(uncountedAt)
      ? [
          {
            kind: 'limiter_down' as const,
            subject: name,
            says: `process ${name} let ${uncounted} requests pass without counting them, the last at ${uncountedAt.toISOString()}`,
            size: uncounted,
            since: uncountedAt,
          },
        ]
      : []),
    ...(recent(droppedAt)
      ? [
          {
            kind: 'log_dropped' as const,
            subject: name,
            says: `process ${name} dropped ${dropped} lines of its log, the last at ${droppedAt.toISOString()}`,
            size: dropped,
            since: droppedAt,
          },
        ]
      : []),
  ]
}
