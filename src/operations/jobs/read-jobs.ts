import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'

/** A background task of one cell, as its workers reported it. */
export type Job = {
  cell: string
  sweep: string
  periodMs: number
  lastAt: Date
  /** When its last run succeeded; for a task that never succeeded, when it first ran. */
  workedAt: Date
  tookMs: number
  failures: number
  lastError: string | null
  handled: number | null
  handledAt: Date | null
  oldestDueAt: Date | null
}

const LIST = statement<Job>(
  'tasks and their runs',
  `select cell, sweep, period_ms as "periodMs", last_at as "lastAt", coalesce(last_ok_at, first_at) as "workedAt", took_ms as "tookMs", failures,
     last_error as "lastError", handled, handled_at as "handledAt", oldest_due_at as "oldestDueAt"
   from sweep_runs order by cell, sweep limit 500`,
)

// Workers report every few seconds, and a task may take a moment: less than this is no lag.
const REPORT_SLACK_MS = 15_000
// A task whose period is a fraction of a second is not behind because of a second.
const MIN_LATE_MS = 60_000
const LATE_PERIODS = 5

/** Every task of every cell. */
export const listJobs = ({ directory }: Pick<Gateway, 'directory'>): Promise<Job[]> => directory.query(LIST)

/** Milliseconds beyond its period for which a task has run without finishing, or has not run at all. */
const idleMs = ({ periodMs, workedAt }: Job, nowMs: number): number =>
  Math.max(0, nowMs - workedAt.getTime() - periodMs - REPORT_SLACK_MS)

/** How far a task is behind, in ms: since its oldest row fell due, or since its next run was due. */
export const lagMs = (job: Job, nowMs: number): number =>
  Math.max(idleMs(job, nowMs), job.oldestDueAt === null ? 0 : nowMs - job.oldestDueAt.getTime(), 0)

/** Whether a task does not run, or all its runs fail, for longer than five of its periods and one minute (reliability.md 11.3). */
export const isLate = (job: Job, nowMs: number): boolean =>
  idleMs(job, nowMs) > Math.max(MIN_LATE_MS, LATE_PERIODS * job.periodMs)
