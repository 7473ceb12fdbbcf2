import { hasRoom } from '../../../merchants/account/choose-cell.ts'
import { type AwayCell, describeAway } from '../../../platform/db/cell-watch.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { listProcesses, SILENT_AFTER_MS, workerAgeMs } from '../../jobs/process.ts'
import { isLate, lagMs, listJobs } from '../../jobs/read-jobs.ts'
import { readLastVerified } from '../../verify/verify-runs.ts'
import type { Check, Finding } from '../check.ts'
import { findActs } from './acts.ts'

const VERIFY_LATE_MS = 36 * 3_600_000
const TROUBLE_MS = 10 * 60_000
// Shorter troubles are those of a restart, or of a cell that is moving.
const CELL_AWAY_MS = 60_000

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

// What processes record of themselves and what people did to staff and keys belongs to no cell.
const source = () => 'service'

/** Checks of the processes and tasks of the service, and of acts that must be known. */
export const PROCESS_CHECKS: readonly Check[] = [
  { kinds: ['worker_silent'], source, find: findSilentWorker },
  { kinds: ['sweep_behind'], source, find: findLateTasks },
  { kinds: ['verify_late'], source, find: findLateVerify },
  { kinds: ['limiter_down', 'log_dropped'], source, find: findProcessTroubles },
  { kinds: ['cell_away'], source, find: findAwayCells },
  { kinds: ['cells_full'], source, find: findFullCells },
  { kinds: ['operators_changed', 'master_key'], source, find: findActs },
]

async function findSilentWorker(app: App, at: Date): Promise<Finding[]> {
  const ageMs = workerAgeMs(await listProcesses(app), at.getTime())
  if (ageMs === null || ageMs <= SILENT_AFTER_MS) return []
  const since = addMs(at, -ageMs)
  const message = `no worker has been heard since ${since.toISOString()}`
  return [{ kind: 'worker_silent', subject: 'workers', message, size: 1, since }]
}

async function findLateTasks(app: App, at: Date): Promise<Finding[]> {
  // Of a cell that is away no task works; one alert about the cell says it.
  const away = new Set(app.cellWatch.away().map(({ cell }) => cell))
  const late = (await listJobs(app)).filter((job) => isLate(job, at.getTime()) && !away.has(job.cell))
  return late.map((job) => ({
    kind: 'sweep_behind',
    subject: `${job.cell} ${job.sweep} runs`,
    message: `the task ${job.sweep} of ${job.cell} has not worked since ${job.workedAt.toISOString()}${job.failures > 0 ? ` and failed ${job.failures} times: ${job.lastError}` : ''}`,
    size: Math.round(lagMs(job, at.getTime()) / 1000),
    since: job.workedAt,
  }))
}

async function findLateVerify(app: App, at: Date): Promise<Finding[]> {
  const runs = await readLastVerified(app)
  return runs.flatMap(({ cell, at: last, first }) => {
    const since = last ?? first
    if (since === null || at.getTime() - since.getTime() <= VERIFY_LATE_MS) return []
    return {
      kind: 'verify_late' as const,
      subject: cell,
      message: `verify of ${cell} has not ended well since ${since.toISOString()}`,
      size: Math.floor((at.getTime() - since.getTime()) / 3_600_000),
      since,
    }
  })
}

/** Each cell may lie on a node of its own. Where none answers the database itself is away, which each process tells directly. */
async function findAwayCells({ cellWatch, allCells }: App, at: Date): Promise<Finding[]> {
  const away = await cellWatch.look()
  if (away.length === allCells().length) return []
  return away.filter(({ since }) => at.getTime() - since.getTime() >= CELL_AWAY_MS).map(describeAwayCell)
}

const describeAwayCell = (cell: AwayCell): Finding => ({
  kind: 'cell_away',
  subject: cell.cell,
  message: `${describeAway(cell)} since ${cell.since.toISOString()}: payments of its merchants are refused, those of all other cells go on`,
  size: 1,
  since: cell.since,
})

/** Without CELL_MERCHANTS the first cell takes every merchant, and whoever runs it watches its size. */
async function findFullCells({ config, directory }: App, at: Date): Promise<Finding[]> {
  const { cellMerchants: limit } = config
  if (limit === null || (await hasRoom(directory, limit))) return []
  const message = `no cell has room for another merchant: each has ${limit}, which is CELL_MERCHANTS`
  return [{ kind: 'cells_full', subject: 'cells', message, size: 1, since: at }]
}

async function findProcessTroubles({ directory }: App, at: Date): Promise<Finding[]> {
  const troubles = await directory.query(TROUBLES, [addMs(at, -TROUBLE_MS).toISOString()])
  return troubles.flatMap((trouble) => describeTrouble(trouble, at))
}

function describeTrouble({ id, uncountedAt, uncounted, droppedAt, dropped }: Trouble, at: Date): Finding[] {
  const isRecent = (when: Date | null): when is Date => when !== null && at.getTime() - when.getTime() < TROUBLE_MS
  const name = id.slice(0, 8)
  const findings: Finding[] = []
  if (isRecent(uncountedAt))
    findings.push({
      kind: 'limiter_down',
      subject: name,
      message: `process ${name} let ${uncounted} requests pass without counting them, the last at ${uncountedAt.toISOString()}`,
      size: uncounted,
      since: uncountedAt,
    })
  if (isRecent(droppedAt))
    findings.push({
      kind: 'log_dropped',
      subject: name,
      message: `process ${name} dropped ${dropped} lines of its log, the last at ${droppedAt.toISOString()}`,
      size: dropped,
      since: droppedAt,
    })
  return findings
}
