import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { retireServer } from '../api/http/admission/close-gently.ts'
import type { HttpServer } from '../api/http/server.ts'
import { repairFreezeCopies } from '../merchants/account/payout-freeze.ts'
import { sendHeartbeat } from '../operations/alerts/heartbeat.ts'
import { runChecksWithoutWorker } from '../operations/alerts/run-checks.ts'
import { watchDatabase } from '../operations/alerts/watch-database.ts'
import { makeProcessReporter, type ProcessReporter } from '../operations/jobs/process-reporter.ts'
import { writeServiceDays } from '../operations/overview/service-days.ts'
import { waitUntilIdle } from '../platform/batches/lane.ts'
import { type SweepWorker, startWorker } from '../platform/batches/sweep.ts'
import { retryWhileAway } from '../platform/db/retry-while-away.ts'
import { ServiceCounts } from '../platform/log/service-counts.ts'
import { listenOn } from '../platform/processes/cannot-start.ts'
import { crashPoint } from '../platform/processes/crash-point.ts'
import { railMetrics } from '../rails/rail-metrics.ts'
import type { App, Gateway } from './app.ts'
import { startStream } from './backup-server.ts'
import { makeDemoMerchant } from './commands/demo.ts'
import { examineInstallation } from './commands/doctor.ts'
import type { MetricReport } from './fleet/messages.ts'
import type { ParentLink } from './fleet/parent-link.ts'
import { buildFront } from './front.ts'
import { collectMetrics, observeBatches, type ProcessMetrics, serveMetrics, writeMetrics } from './metrics.ts'
import { type OpenedGateway, type OpenOptions, reachDatabase } from './open-gateway.ts'
import { startTimers } from './process-timers.ts'
import type { Config } from './settings/config.ts'
import { WrongSettings } from './settings/setting-readers.ts'
import { shareTrialAddresses } from './settings/trial-addresses.ts'
import { buildLookout, buildSweeps, type CellSweep } from './sweeps.ts'
import { takeUpCells } from './take-up-cells.ts'

export type Role = 'all' | 'web' | 'worker'
/**
 * `stopping`: aborted when the process is told to stop, which also ends the wait for a database. `ready`: called with the address once it
 * works. `parent`: where it is one of several; then those that do background work have no door, and the parent serves the metrics of all.
 */
type ServeOptions = OpenOptions & {
  role: Role
  stopping?: AbortSignal
  ready?: (url: string) => void
  parent?: ParentLink | null
}
export type Service = {
  url: string
  /** The gateway once the database has been reached. */
  gateway(): Gateway | null
  /** Takes no new connections and answers on the open ones until they are gone. */
  retire(): Promise<void>
  /** Stops as a SIGTERM does: refuse, finish, release, leave (reliability.md 6.6). `atOnce`: nobody can come any more, so nobody is told. */
  stop(options?: { atOnce: boolean }): Promise<void>
}

/** The state of the service. It listens at once and answers 503 until the database has been reached. */
type RunningService = {
  opened: OpenedGateway | null
  draining: boolean
  workers: SweepWorker[]
  sweeps: CellSweep[]
  timers: NodeJS.Timeout[]
  reporter: ProcessReporter | null
  /** Stops the stream of WAL to BACKUP_DIR, where this process has it. */
  stopStream: () => Promise<void>
}

// Connections that may arrive at the same moment, as after an outage; the system may allow fewer. Clients repeat the rest a second later.
const BACKLOG = 4096
const ALERT_CHECKS_MS = 30_000
const PROCESS_REPORT_MS = 5000
const DATABASE_CHECK_MS = 15_000
const HEARTBEAT_MS = 60_000
// How long a start waits for a slow database before it fails.
const START_WITHIN_MS = 60_000

/** Listens, then reaches the database (for as long as it takes), then works until stopped. */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, role } = options
  const running: RunningService = {
    opened: null,
    draining: false,
    workers: [],
    sweeps: [],
    timers: [],
    reporter: null,
    stopStream: async () => {},
  }
  const closeTracing = await startTracing(config)
  const metrics: ProcessMetrics = { own: new Registry(), figures: new Registry() }
  const { parent = null } = options
  const readMetrics = parent?.readMetrics ?? (() => writeMetrics(metrics))
  const serviceCounts = new ServiceCounts()
  const server = buildFront(running, options, { registry: metrics.own, readMetrics, serviceCounts })
  if (parent === null || role !== 'worker')
    await listenOn({ ...config, settings: 'PORT or HOST' }, () =>
      server.listen({ port: config.port, host: config.host, backlog: BACKLOG }),
    )
  const url = config.baseUrl ?? `http://${config.host}:${listeningPort(server) ?? config.port}`
  const removeTrialAddresses = parent === null ? shareTrialAddresses(config) : () => {}
  const stopCollecting = collectMetrics({ metrics, gateway: () => running.opened?.gateway ?? null, role })
  const report = (figures: boolean) => reportMetrics(metrics, figures)
  parent?.answerReports(report)
  const metricsServer = parent === null ? await serveMetrics(config, readMetrics) : null
  try {
    const opened = await reachDatabase({ ...options, listensAt: url, serviceCounts })
    if (opened !== null) {
      observeBatches(metrics.own, opened.gateway)
      opened.gateway.watchRails(railMetrics(metrics.own, opened.gateway))
      await startWork(running, opened, { ...options, role, url }).catch(async (error) => {
        await opened.close()
        throw error
      })
    }
  } catch (error) {
    removeTrialAddresses()
    await Promise.all([server.close(), metricsServer?.close()])
    throw error
  }
  return {
    url,
    gateway: () => running.opened?.gateway ?? null,
    retire: () => retireServer(server.server),
    stop: async ({ atOnce } = { atOnce: false }) => {
      await drain(running, server, atOnce ? 0 : config.drainSeconds)
      removeTrialAddresses()
      await closeTracing()
      await parent?.leave(await report(false))
      stopCollecting()
      await metricsServer?.close()
      log.info('stopped')
    },
  }
}

/** Traces where a receiver is set; otherwise nothing of it is loaded. Returns the function that ends it. */
async function startTracing({ otlpEndpoint }: Config): Promise<() => Promise<void>> {
  if (otlpEndpoint === null) return async () => {}
  const { openTracing } = await import('./tracing/open-tracing.ts')
  return openTracing(otlpEndpoint)
}

const reportMetrics = async ({ own, figures }: ProcessMetrics, withFigures: boolean): Promise<MetricReport> => [
  ...(await own.getMetricsAsJSON()),
  ...(withFigures ? await figures.getMetricsAsJSON() : []),
]

async function startWork(
  running: RunningService,
  opened: OpenedGateway,
  options: ServeOptions & { url: string },
): Promise<void> {
  const { config, log, role, say, url, parent } = options
  const { gateway } = opened
  const warming = Promise.all([gateway.directory.warm(), ...gateway.cells.map((app) => app.db.warm())])
  const examining = retryWhileAway(
    () => examineInstallation({ config, gateway, processes: parent?.processes ?? 1 }),
    START_WITHIN_MS,
  )
  // Waits for the warming in every case, so that no connection is still being opened when they are closed.
  const findings = await examining.finally(() => warming)
  const refused = findings.filter(({ level }) => level === 'refused')
  if (refused.length > 0) throw new WrongSettings(refused.map(({ says }) => says).join('\n'))
  for (const { says } of findings) log.debug(says)
  await retryWhileAway(async () => {
    await repairFreezeCopies(gateway)
    await gateway.keyRing.refresh()
  }, START_WITHIN_MS)
  if (opened.embedded && !config.production) for (const line of await makeDemoMerchant(gateway, url)) say(line)
  running.opened = opened
  gateway.startRails()
  const every = startTimers(running, opened, log)
  const byCell = new Map<string, SweepWorker>()
  const reporter = makeProcessReporter(gateway, {
    role,
    wake: (cell, sweep) => byCell.get(cell)?.nudge(sweep),
  })
  running.reporter = reporter
  every(PROCESS_REPORT_MS, () => reporter.beat())
  every(PROCESS_REPORT_MS, () => takeUpCells(opened))
  const watch = watchDatabase(gateway)
  every(DATABASE_CHECK_MS, () => watch.check())
  if (role !== 'web')
    every(HEARTBEAT_MS, async () => {
      if (await gateway.directory.works()) await sendHeartbeat(gateway)
    })
  if (role !== 'web') running.stopStream = startStream(opened, options)
  if (role !== 'web') startWorkers(running, gateway, { log, byCell, reporter })
  // A dead worker cannot raise alerts, so web processes do when no worker reports; what two of them find is one alert.
  else every(ALERT_CHECKS_MS, () => runChecksWithoutWorker(gateway))
  options.ready?.(url)
}

type WorkerParts = { log: Logger; byCell: Map<string, SweepWorker>; reporter: ProcessReporter }

function startWorkers(running: RunningService, gateway: Gateway, { log, byCell, reporter }: WorkerParts): void {
  const start = (app: App) => {
    const sweeps = buildSweeps(app)
    for (const sweep of sweeps) sweep.begin?.()
    const worker = startWorker(sweeps, {
      log,
      clock: gateway.clock,
      onRun: (run) => reporter.ran(app, run),
      lookout: buildLookout(app),
    })
    byCell.set(app.cell, worker)
    running.workers.push(worker)
    running.sweeps.push(...sweeps)
    // A cell that was taken up while this process stops.
    if (running.draining) void worker.stop()
  }
  for (const app of gateway.cells) start(app)
  gateway.onCell(start)
  gateway.onNudge((cell, sweep) => byCell.get(cell)?.nudge(sweep))
}

async function drain(running: RunningService, server: HttpServer, drainSeconds: number): Promise<void> {
  running.draining = true
  crashPoint('drain.started')
  await new Promise((resolve) => setTimeout(resolve, drainSeconds * 1000))
  const requests = server.close()
  await Promise.all(running.workers.map((worker) => worker.stop()))
  await requests
  await Promise.all(running.sweeps.map((sweep) => sweep.finish?.()))
  await Promise.all((running.opened?.gateway.cells ?? []).map(waitUntilIdle))
  await running.opened?.gateway.addressCounts.idle()
  await running.opened?.gateway.requests.flush()
  if (running.opened) await writeServiceDays(running.opened.gateway).catch(() => {})
  for (const timer of running.timers) clearInterval(timer)
  await running.reporter?.stop()
  await running.stopStream()
  await running.opened?.close()
}

/** The port in use, also where PORT=0 let the system choose. */
function listeningPort(server: HttpServer): number | null {
  const address = server.server.address()
  return address === null || typeof address === 'string' ? null : address.port
}
