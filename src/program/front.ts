import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Registry } from 'prom-client'
import { newOverloadGuard } from '../api/http/admission/overload.ts'
import type { CellServices } from '../api/http/frame.ts'
import { clientAddress } from '../api/http/guards.ts'
import { addHealthRoutes, type DatabaseState } from '../api/http/health.ts'
import { newRequestMetrics } from '../api/http/request-metrics.ts'
import { buildServer, type HttpServer } from '../api/http/server.ts'
import { findKeys, getReplay } from '../api/idempotency/keys.ts'
import { shopFinder } from '../merchants/account/shops.ts'
import { newStatusReader } from '../operations/overview/service-status.ts'
import { registerRailCallbacks } from '../operations/reconciliation/callback-routes.ts'
import { estimateLaneWaitMs } from '../platform/batches/lane.ts'
import { describeAway } from '../platform/db/cell-watch.ts'
import type { ServiceCounts } from '../platform/log/service-counts.ts'
import { ROOT } from '../platform/processes/root.ts'
import { RELEASED_COMMIT, VERSION } from '../platform/processes/version.ts'
import { unavailable } from '../platform/refusal.ts'
import { type Clock, elapsedMs } from '../platform/time/clock.ts'
import { registerInbound } from '../selling/vending/callbacks/inbound-routes.ts'
import { newPublicLimits } from '../web/checkout/public-limits.ts'
import { registerCheckout } from '../web/checkout/routes.ts'
import { CONSOLE } from '../web/console/console.ts'
import { DASHBOARD } from '../web/dashboard/dashboard.ts'
import { serveInstallation } from '../web/dashboard/install/install-routes.ts'
import { buildViewAsSurface } from '../web/dashboard/view-as.ts'
import { describeProduct } from '../web/docs/describe-product.ts'
import { readGuide } from '../web/docs/guide.ts'
import { renderErrorPage } from '../web/docs/pages.tsx'
import { DOCS_PAGE_HEADERS, registerDocs } from '../web/docs/routes.ts'
import { newUploads } from '../web/parts/forms/uploads.ts'
import { PAGE_ASSETS } from '../web/parts/page-assets.ts'
import { serveAssets } from '../web/parts/routes/asset-routes.ts'
import type { SurfaceOptions } from '../web/parts/routes/surface.ts'
import { registerSurface } from '../web/parts/routes/surface-routes.ts'
import { receiveUploads } from '../web/parts/routes/upload-routes.ts'
import { ENDPOINTS } from './api.ts'
import type { App, Gateway } from './app.ts'
import { addMetricsRoute } from './metrics.ts'
import { type OpenedGateway, type OpenOptions, openClock } from './open-gateway.ts'
import { isLoopback } from './settings/op1-installations.ts'

/** The part of the running service that the front reads: whether the database was reached, and whether it is stopping. */
type ServiceState = { readonly opened: OpenedGateway | null; readonly draining: boolean }
type FrontParts = { registry: Registry; readMetrics(): Promise<string>; serviceCounts: ServiceCounts }
type FrontOptions = Pick<OpenOptions, 'config' | 'log' | 'clock'>

const readFromRoot = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const CHANGELOG = readFromRoot('CHANGELOG.md')

/** Builds the HTTP server of the process: API, health, metrics, documentation, hosted pages, callbacks of machine suppliers. */
export function buildFront(
  state: ServiceState,
  options: FrontOptions,
  { registry, readMetrics, serviceCounts }: FrontParts,
): HttpServer {
  const { config, log, clock = openClock(config) } = options
  const gateway = () => {
    if (state.opened === null) throw unavailable()
    return state.opened.gateway
  }
  const server = buildServer<App>({
    endpoints: ENDPOINTS,
    clock,
    log,
    cellServicesOf: (caller) => servingCell(gateway().appOf(caller)),
    authenticate: (token, address) => gateway().keyRing.authenticate(token, address),
    countFailedAuth: async (address) => state.opened?.gateway.keyRing.countFailure(address),
    async refuseUsedKey(caller, { key, fingerprint }) {
      const finding = findKeys([{ merchantId: caller.merchantId, mode: caller.mode, key }])
      const [row] = await gateway().appOf(caller).db.query(finding.statement, finding.values)
      if (row) getReplay(row, fingerprint)
    },
    overload: newOverloadGuard(),
    metrics: newRequestMetrics(registry, (status) =>
      serviceCounts.add('answers', { good: status < 500, at: clock.now() }),
    ),
    note: (request) => state.opened?.gateway.requests.note(request),
    trustedProxies: config.trustedProxies,
    https: config.baseUrl?.startsWith('https://') ?? false,
    errorPage: ({ status, message }) => ({
      headers: DOCS_PAGE_HEADERS,
      html: renderErrorPage(status, message),
    }),
  })
  addHealthRoutes(server, {
    version: VERSION,
    commit: runningCommit(),
    uptimeSeconds: () => process.uptime(),
    database: () => state.opened && readDatabaseState(state.opened.gateway),
    notReady: async () => [
      ...(state.draining ? ['stopping'] : []),
      ...(state.opened === null ? ['the database has not been reached yet'] : clockDoubts(state.opened.gateway)),
    ],
  })
  addMetricsRoute(server, readMetrics, config.metricsToken)
  registerPages(server, { state, gateway, config, log, clock })
  return server
}

const clockDoubts = ({ witness }: Gateway) => [witness.doubt()].filter((doubt) => doubt !== null)

/** Asks on the connections that payments use, in the directory and in each cell. While one cell answers, payments can be stored. */
async function readDatabaseState({ directory, cells, cellWatch }: Gateway): Promise<DatabaseState> {
  const [up, away] = await Promise.all([directory.works(), cellWatch.look()])
  const none = away.length === cells.length
  // On one server alone there is one thing to say.
  return { up: up && !none, away: cells.length === 1 ? [] : away.map(describeAway) }
}

/** Registers what needs no API key: documentation, hosted pages, and the callbacks of machine suppliers and operators. */
function registerPages(
  server: HttpServer,
  parts: Pick<OpenOptions, 'config' | 'log'> & { state: ServiceState; gateway: () => Gateway; clock: Clock },
): void {
  const { state, gateway, config, log, clock } = parts
  const baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`
  const readStatus = newStatusReader()
  const limits = newPublicLimits(config, { counts: () => gateway().addressCounts, log })
  registerDocs(server, {
    baseUrl,
    openapi: describeProduct(ENDPOINTS, baseUrl),
    guide: readGuide(ENDPOINTS, baseUrl),
    changelog: CHANGELOG,
    readStatus: async () => readStatus(gateway()),
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
  registerRailCallbacks(server, { gateway, shops, clock, log, trustedProxies: config.trustedProxies })
  registerCheckout(server, {
    gateway,
    shops,
    limits,
    clock,
    https: config.baseUrl?.startsWith('https://') ?? false,
    log,
    trustedProxies: config.trustedProxies,
    baseUrl: () => state.opened?.gateway.baseUrl ?? baseUrl,
  })
  serveAssets(server, Object.values(PAGE_ASSETS))
  serveInstallation(server)
  const surface: SurfaceOptions = {
    gateway,
    nowMs: () => clock.nowMs(),
    trustedProxies: config.trustedProxies,
    // Plain http is for a browser on this machine; anywhere else the cookies of people want https (reliability.md A67).
    https: !isLoopback(baseUrl) && config.baseUrl !== null,
    baseUrl: () => state.opened?.gateway.baseUrl ?? baseUrl,
    ...{ environment: config.nodeEnv, production: config.production, support: config },
    requestsAMinute: config.ratePages,
    uploads: newUploads(() => elapsedMs(clock)),
    troubled: (err, requestId) => log.error({ err, request_id: requestId }, 'a page failed'),
  }
  receiveUploads(server)
  registerSurface(server, DASHBOARD, surface)
  registerSurface(server, CONSOLE, surface)
  registerSurface(server, buildViewAsSurface({ ...CONSOLE, stepUp: DASHBOARD.stepUp }), surface)
}

/** The parts of the serving cell that the request frame uses. */
const servingCell = (app: App): CellServices<App> => ({
  app,
  windows: app.windows,
  exactWindows: app.exactWindows,
  expectedMs: (rate) => estimateLaneWaitMs(app, rate) ?? connectionWaitMs(app, rate),
})

/** Milliseconds that a request without a lane of its own is expected to wait for a connection. */
function connectionWaitMs(app: App, rate: string): number {
  if (rate === 'bulk_payouts') return app.db.expectedMs('out')
  return app.db.expectedMs(rate === 'reads' ? 'statement' : 'in')
}

const COMMIT_DIGITS = 12

/** The first 12 hex digits of the running commit, by the checkout or as an artefact names it; null where neither says it (G2). */
export function runningCommit(): string | null {
  return (readHead() ?? RELEASED_COMMIT)?.slice(0, COMMIT_DIGITS) ?? null
}

function readHead(): string | null {
  const git = join(ROOT, '.git')
  try {
    const head = readFileSync(`${git}/HEAD`, 'utf8').trim()
    const ref = /^ref: (.+)$/.exec(head)?.[1]
    return ref === undefined ? head : readRef(git, ref)
  } catch {
    return null
  }
}

function readRef(git: string, ref: string): string | null {
  if (existsSync(`${git}/${ref}`)) return readFileSync(`${git}/${ref}`, 'utf8').trim()
  const packed = readFileSync(`${git}/packed-refs`, 'utf8')
  return (
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0] ?? null
  )
}
