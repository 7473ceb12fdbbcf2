import { shareRead } from '../../platform/batches/shared-read.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { type Alert, listOpenAlerts } from '../alerts/list-alerts.ts'
import { listProcesses, type ServiceProcess } from '../jobs/process.ts'
import { type Job, listJobs } from '../jobs/read-jobs.ts'
import { listVerifyRuns, readLastVerified, type VerifyRun } from '../verify/verify-runs.ts'
import { type BreakCount, type CellFigures, readCellFigures } from './cell-figures.ts'
import { type RailFigures, readRailFigures } from './rail-figures.ts'

/** Our money at an operator, as the operator last said. */
export type FloatFigure = {
  installation: string
  side: 'collect' | 'disburse'
  operator: number
  currency: string
  low: boolean
  readAt: Date
}
const FLOATS = statement<FloatFigure>(
  'floats of all contracts',
  `select installation, side, operator, currency, low, read_at as "readAt" from float_readings order by installation, side limit 100`,
)
const PLATFORM_BREAKS = statement<BreakCount>(
  'open exceptions of the platform',
  `select severity, count(*)::int as count, min(opened_at) as oldest from (
     select severity, opened_at from platform_exceptions where closed_at is null order by opened_at limit 1000) x group by severity`,
)

/** The figures of what the whole service is doing now, for the console's first page and the metrics. */
export type ServiceFigures = {
  at: Date
  cells: CellFigures[]
  platformBreaks: BreakCount[]
  floats: FloatFigure[]
  rails: RailFigures[]
  jobs: Job[]
  processes: ServiceProcess[]
  alerts: Alert[]
  /** The last run of each cell, and when all invariants last held there. */
  verify: VerifyRun[]
  verified: { cell: string; at: Date | null; first: Date | null }[]
}

// However many pages and scrapes ask, one process asks the database once in this time.
const FRESH_MS = 5000

const READERS = new WeakMap<Gateway, () => Promise<ServiceFigures>>()

/** Reads the figures, at most five seconds old. Throws where a database does not answer. */
export function readServiceFigures(gateway: Gateway): Promise<ServiceFigures> {
  const reader = READERS.get(gateway) ?? makeReader(gateway)
  READERS.set(gateway, reader)
  return reader()
}

function makeReader(gateway: Gateway): () => Promise<ServiceFigures> {
  let last: ServiceFigures | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  const refresh = shareRead(async () => {
    last = await readNow(gateway)
    readAtMs = performance.now()
  }, FRESH_MS)
  return async () => {
    // A test moves the clock; figures of another time do not count.
    const moved = last !== null && gateway.clock.nowMs() - last.at.getTime() > 2 * FRESH_MS
    if (last === null || moved || performance.now() - readAtMs > FRESH_MS) await refresh()
    return last as ServiceFigures // Just read, or the refresh has thrown.
  }
}

async function readNow(gateway: Gateway): Promise<ServiceFigures> {
  const { directory } = gateway
  const at = gateway.clock.now()
  const [cells, platformBreaks, floats, rails, jobs, processes, alerts, verify, verified] = await Promise.all([
    Promise.all(reachedCells(gateway).map(readCellFigures)),
    directory.query(PLATFORM_BREAKS),
    directory.query(FLOATS),
    readRailFigures(gateway),
    listJobs(gateway),
    listProcesses(gateway),
    listOpenAlerts(gateway),
    listVerifyRuns(gateway, 1),
    readLastVerified(gateway),
  ])
  return { at, cells, platformBreaks, floats, rails, jobs, processes, alerts, verify, verified }
}
