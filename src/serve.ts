import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { raiseAlertsNow } from './alerts/look-around.ts'
import { ENDPOINTS } from './api.ts'
import type { App, Gateway } from './app.ts'
import { publicLimits } from './checkout/public-limits.ts'
import { registerCheckout } from './checkout/routes.ts'
import { makeDemoMerchant } from './commands/demo.ts'
import { examine } from './commands/doctor.ts'
import { describeProduct } from './docs/describe-product.ts'
import { errorPage } from './docs/pages.tsx'
import { PAGE_HEADERS, registerDocs } from './docs/routes.ts'
import { crowds } from './http/crowds.ts'
import { clientAddress } from './http/guards.ts'
import { addHealth } from './http/health.ts'
import { requestMetrics } from './http/request-metrics.ts'
import { buildServer, type HttpServer } from './http/server.ts'
import { findKeys, replayOf } from './idempotency/keys.ts'
import { placeIn, untilIdle } from './lanes.ts'
import { followFreeze } from './merchants/payout-freeze.ts'
import { shopFinder } from './merchants/shops.ts'
import { addMetricsRoute, observeBatches, startMetrics } from './metrics.ts'
import { clockOf, type Opened, type OpenOptions, openGateway } from './open-gateway.ts'
import type { Clock } from './platform/clock.ts'
import { crashPoint } from './platform/crash-point.ts'
import type { Database } from './platform/db/database.ts'
import { classify, DatabaseAway } from './platform/db/errors.ts'
import { statement } from './platform/db/statement.ts'
import { againWhileAway } from './platform/db/while-away.ts'
import { unavailable } from './platform/refusal.ts'
import { ROOT } from './platform/root.ts'
import { startWorker, type Worker } from './platform/sweep.ts'
import { runningCommit } from './running-commit.ts'
import type { Config } from './settings/config.ts'
import { WrongSettings } from './settings/setting-readers.ts'
import { type CellSweep, sweepsOf } from './sweeps.ts'
import { registerInbound } from './vending/callbacks/inbound-routes.ts'

export type Role = 'all' | 'web' | 'worker'
/** `stopping`: aborted when the process is told to stop, so that waiting for a database ends. */
export type ServeOptions = OpenOptions & { role: Role; stopping?: AbortSignal }
export type Service = {
  url: string
  /** The gateway once the database has been reached. */
  gateway(): Gateway | null
  /** Stops as a SIGTERM does: refuse, finish, release, leave (reliability.md 6.6). */
  stop(): Promise<void>
}

/** The state of the server, which listens at once and answers 503 until the database has been reached. */
type Door = {
  opened: Opened | null
  draining: boolean
  workers: Worker[]
  sweeps: CellSweep[]
  timers: NodeJS.Timeout[]
}

type Every = (ms: number, work: () => Promise<unknown>) => void

const PING = statement('ping', 'select 1')
// Connections that may arrive at the same moment, as after an outage; the system may allow fewer. Further ones are repeated
// by clients a second later.
const BACKLOG = 4096
const KEY_LOOK_MS = 400
const SHARE_MS = 1000
const ALERT_LOOK_MS = 30_000
// A start does not fail because the database is slow.
const BEGIN_WITHIN_MS = 60_000
const REACH_AGAIN_MS = { first: 50, most: 2000 }
const fromRoot = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const CHANGELOG = fromRoot('CHANGELOG.md')
const MACHINE_MAKERS = fromRoot('docs/machine-makers.md')
const VERSION = JSON.parse(fromRoot('package.json')).version as string

/** Listens, then reaches the database (for as long as it takes), then works until stopped. */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, role } = options
  const door: Door = { opened: null, draining: false, workers: [], sweeps: [], timers: [] }
  const registry = new Registry()
  const server = frontOf(door, options, registry)
  addMetricsRoute(server, registry, config.metricsToken)
  await server.listen({ port: config.port, host: config.host, backlog: BACKLOG })
  const url = config.baseUrl ?? `http://${config.host}:${portOf(server) ?? config.port}`
  const metrics = await startMetrics({ registry, config, gateway: () => door.opened?.gateway ?? null })
  try {
    const opened = await reachDatabase({ ...options, listensAt: url })
    if (opened !== null) {
      observeBatches(registry, opened.gateway)
      await begin(door, opened, { ...options, role, url }).catch(async (error) => {
        await opened.close()
        throw error
      })
    }
  } catch (error) {
    await Promise.all([server.close(), metrics.close()])
    throw error
  }
  return {
    url,
    gateway: () => door.opened?.gateway ?? null,
    stop: async () => {
      await drain(door, server, config)
      await metrics.close()
      log.info('stopped')
    },
  }
}

async function begin(door: Door, opened: Opened, options: ServeOptions & { url: string }): Promise<void> {
  const { config, log, role, say, url } = options
  const { gateway } = opened
  const warming = Promise.all([gateway.directory.warm(), ...gateway.cells.map((app) => app.db.warm())])
  const examining = againWhileAway(() => examine({ config, gateway }), BEGIN_WITHIN_MS)
  // Whatever is found, no connection is still being opened when they are closed.
  const findings = await examining.finally(() => warming)
  const refused = findings.filter(({ level }) => level === 'refused')
  if (refused.length > 0) throw new WrongSettings(refused.map(({ says }) => says).join('\n'))
  for (const { says } of findings) log.debug(says)
  await againWhileAway(async () => {
    await Promise.all(gateway.cells.map(followFreeze))
    await gateway.keyRing.refresh()
  }, BEGIN_WITHIN_MS)
  if (opened.embedded && !config.production)
    for (const line of await makeDemoMerchant(gateway, url)) say(line)
  door.opened = opened
  const every = keepUp(door, opened, log)
  if (role !== 'web') startWorkers(door, gateway, log)
  // A dead worker cannot raise alerts, so web processes check too; what both find is one alert.
  else every(ALERT_LOOK_MS, () => raiseAlertsNow(gateway))
  say(`ready on ${url}  (documentation: ${url}/docs)`)
}

function frontOf(door: Door, options: ServeOptions, registry: Registry): HttpServer {
  const { config, log, clock = clockOf(config) } = options
  const gateway = () => {
    if (door.opened === null) throw unavailable()
    return door.opened.gateway
  }
  const server = buildServer<App>({
    endpoints: ENDPOINTS,
    clock,
    log,
    placeOf: (caller) => placeIn(gateway().appOf(caller)),
    authenticate: (token, address) => gateway().keyRing.authenticate(token, address),
    countFailedAuth: async (address) => door.opened?.gateway.keyRing.countFailure(address),
    async refuseUsedKey(caller, { key, fingerprint }) {
      const wanted = findKeys([{ merchantId: caller.merchantId, mode: caller.mode, key }])
      const [row] = await gateway().appOf(caller).db.query(wanted.statement, wanted.values)
      if (row) replayOf(row, fingerprint)
    },
    crowds: crowds(),
    metrics: requestMetrics(registry),
    trustedProxies: config.trustedProxies,
    https: config.baseUrl?.startsWith('https://') ?? false,
    errorPage: ({ status, message }) => ({ headers: PAGE_HEADERS, html: errorPage(status, message) }),
  })
  addHealth(server, {
    version: VERSION,
    commit: runningCommit(),
    uptimeSeconds: () => process.uptime(),
    databaseUp: () => door.opened && answers(door.opened.gateway.directory),
    notReady: async () => [
      ...(door.draining ? ['stopping'] : []),
      ...(door.opened === null ? ['the database has not been reached yet'] : []),
    ],
  })
  registerPages(server, { door, gateway, config, log, clock })
  return server
}

const answers = async (database: Database) => (await database.query(PING).catch(() => null)) !== null

/** What is open to everybody: documentation, hosted pages, and the door of machine suppliers. */
function registerPages(
  server: HttpServer,
  {
    door,
    gateway,
    config,
    log,
    clock,
  }: Pick<ServeOptions, 'config' | 'log'> & {
    door: Door
    gateway: () => Gateway
    clock: Clock
  },
): void {
  const baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`
  const limits = publicLimits(config, { counts: () => gateway().addressCounts, log })
  registerDocs(server, {
    baseUrl,
    openapi: describeProduct(ENDPOINTS, baseUrl),
    changelog: CHANGELOG,
    machines: MACHINE_MAKERS,
    admit: (raw) => limits.pages.take(clientAddress(raw, config.trustedProxies), clock.nowMs()),
  })
  const shops = shopFinder()
  registerInbound(server, {
    gateway,
    shops,
    clock,
    log,
    trustedProxies: config.trustedProxies,
    callbacksAMinute: config.rateCallbacks,
  })
  registerCheckout(server, {
    gateway,
    shops,
    limits,
    clock,
    https: config.baseUrl?.startsWith('https://') ?? false,
    log,
    trustedProxies: config.trustedProxies,
    baseUrl: () => door.opened?.gateway.baseUrl ?? baseUrl,
  })
}

/** Waits with back-off for a database that cannot be reached; wrong settings end the process. */
async function reachDatabase(options: ServeOptions): Promise<Opened | null> {
  for (
    let waitMs = REACH_AGAIN_MS.first;
    !options.stopping?.aborted;
    waitMs = Math.min(waitMs * 2, REACH_AGAIN_MS.most)
  ) {
    try {
      return await openGateway(options)
    } catch (error) {
      // A server that is not there, is starting, or is shutting down; any other mistake is not cured by waiting.
      if (!(classify(error) instanceof DatabaseAway)) throw error
      options.log.warn({ err: error }, 'the database is not there yet')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
  return null
}

/** Keys and rate counts of the other processes, and the embedded server when it has gone away. */
function keepUp(door: Door, opened: Opened, log: Logger): Every {
  const { gateway } = opened
  const every: Every = (ms, work) => {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      work()
        .catch((error) => log.debug({ err: error }, 'the database does not answer'))
        .finally(() => {
          busy = false
        })
    }, ms)
    door.timers.push(timer)
  }
  // Not the process id: in containers every process may have the same.
  const processName = randomUUID()
  every(KEY_LOOK_MS, () => gateway.keyRing.refresh())
  every(SHARE_MS, () =>
    Promise.all(gateway.cells.map((app) => app.windows.share(app.db, processName, gateway.clock.now()))),
  )
  every(SHARE_MS, () => gateway.addressCounts.forget(gateway.clock.now()))
  every(SHARE_MS, async () => {
    if (!(await answers(gateway.directory)) && !door.draining) await opened.rejoin()
  })
  return every
}

function startWorkers(door: Door, gateway: Gateway, log: Logger): void {
  const byCell = new Map<string, Worker>()
  for (const app of gateway.cells) {
    const sweeps = sweepsOf(app)
    const worker = startWorker(sweeps, { log, clock: gateway.clock })
    byCell.set(app.cell, worker)
    door.workers.push(worker)
    door.sweeps.push(...sweeps)
  }
  gateway.onNudge((cell, sweep) => byCell.get(cell)?.nudge(sweep))
}

async function drain(door: Door, server: HttpServer, config: Config): Promise<void> {
  door.draining = true
  crashPoint('drain.started')
  await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
  const requests = server.close()
  await Promise.all(door.workers.map((worker) => worker.stop()))
  await requests
  await Promise.all(door.sweeps.map((sweep) => sweep.finish?.()))
  await Promise.all((door.opened?.gateway.cells ?? []).map(untilIdle))
  await door.opened?.gateway.addressCounts.idle()
  for (const timer of door.timers) clearInterval(timer)
  await door.opened?.close()
}

/** The port in use, also where PORT=0 let the system choose. */
function portOf(server: HttpServer): number | null {
  const address = server.server.address()
  return address === null || typeof address === 'string' ? null : address.port
}
