import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import { sealLagSeconds } from './actors/seal-audit.ts'
import type { Gateway } from './app.ts'
import { bearerToken } from './http/guards.ts'
import type { HttpServer } from './http/server.ts'
import { lanesOf } from './platform/lane.ts'
import { Refusal } from './platform/refusal.ts'
import type { Config } from './settings/config.ts'

type Parts = { registry: Registry; config: Config; gateway: () => Gateway | null }

const LOOPBACK = '127.0.0.1'
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200]

/**
 * Prometheus metrics: on their own port (METRICS_PORT) and, behind a bearer token (METRICS_TOKEN), on that of the API.
 * Without a token they are only on this machine. No merchant and no id is a label.
 */
export async function startMetrics({
  registry,
  config,
  gateway,
}: Parts): Promise<{ close(): Promise<void> }> {
  collectDefaultMetrics({ register: registry, prefix: 'gateway_' })
  addGauges(registry, gateway)
  if (config.metricsPort === 0) return { close: async () => {} }
  const own = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    if (config.metricsToken !== null && !isOpenTo(request, config.metricsToken))
      return void response.writeHead(401).end()
    registry
      .metrics()
      .then((body) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(body))
  })
  await new Promise<void>((resolve, reject) =>
    own.once('error', reject).listen(config.metricsPort, hostOf(config), resolve),
  )
  return { close: () => new Promise((resolve) => own.close(() => resolve())) }
}

/** Without a token the metrics are only served on this machine. */
const hostOf = ({ host, metricsToken }: Config) => (metricsToken === null ? LOOPBACK : host)

function isOpenTo(request: IncomingMessage, token: string): boolean {
  try {
    return same(bearerToken(request), token)
  } catch {
    return false
  }
}

/** The metrics on the port of the API, behind the token. */
export function addMetricsRoute(server: HttpServer, registry: Registry, token: string | null): void {
  if (token === null) return
  server.get('/metrics', async (request, reply) => {
    if (!same(bearerToken(request.raw), token)) throw new Refusal(401, 'unauthorized', 'invalid api key')
    return reply.header('Content-Type', registry.contentType).send(await registry.metrics())
  })
}

function addGauges(registry: Registry, gateway: () => Gateway | null): void {
  const cells = () => gateway()?.cells ?? []
  const gauge = (
    options: { name: string; help: string; labelNames?: string[] },
    collect: (self: Gauge) => void,
  ) =>
    new Gauge({
      ...options,
      registers: [registry],
      collect() {
        collect(this)
      },
    })
  gauge({ name: 'db_pool_in_use', help: 'connections in use', labelNames: ['pool'] }, (self) => {
    for (const { cell, db } of cells()) self.set({ pool: cell }, db.pool.totalCount - db.pool.idleCount)
  })
  gauge(
    { name: 'batch_waiting', help: 'items waiting for a group commit', labelNames: ['batch'] },
    (self) => {
      for (const app of cells())
        for (const { name, lane } of lanesOf(app)) self.set({ batch: name }, lane.waiting())
    },
  )
  gauge({ name: 'db_pool_waiting', help: 'work waiting for a connection', labelNames: ['pool'] }, (self) => {
    for (const { cell, db } of cells()) self.set({ pool: cell }, db.waiting())
  })
  gauge(
    { name: 'request_log_dropped_total', help: 'requests without room in the log of their merchant' },
    (self) => {
      self.set(gateway()?.requests.dropped() ?? 0)
    },
  )
  addSealLag(registry, gateway)
  gauge({ name: 'idempotency_in_flight', help: 'keys being worked on' }, (self) => {
    self.set(cells().reduce((sum, app) => sum + app.keysInFlight.count(), 0))
  })
}

/** How long committed rows of the audit wait for their seals. Without an answer of the database there is no figure. */
function addSealLag(registry: Registry, gateway: () => Gateway | null): void {
  new Gauge({
    name: 'audit_chain_lag_seconds',
    help: 'age of the oldest audit row that no seal holds',
    labelNames: ['place'],
    registers: [registry],
    async collect() {
      this.reset()
      const running = gateway()
      if (running === null) return
      const { clock, cells, directory } = running
      const places = [
        ...cells.map(({ cell, db }) => ({ place: cell, db })),
        { place: 'directory', db: directory },
      ]
      for (const { place, db } of places) {
        const lag = await sealLagSeconds(db, clock.nowMs()).catch(() => null)
        if (lag !== null) this.set({ place }, lag)
      }
    },
  })
}

/** Sizes and times of group commits. */
export function observeBatches(registry: Registry, gateway: Gateway): void {
  const size = new Histogram({
    name: 'batch_size',
    help: 'items in a group commit',
    labelNames: ['batch'],
    buckets: BATCH_SIZES,
    registers: [registry],
  })
  for (const app of gateway.cells)
    for (const { name, lane } of lanesOf(app)) lane.onRun?.((items) => size.observe({ batch: name }, items))
}

function same(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
