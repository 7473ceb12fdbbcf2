import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { parseBearerToken } from '../api/http/guards.ts'
import type { HttpServer } from '../api/http/server.ts'
import { countWaitingReaders } from '../merchants/webhooks/stream/waiting-readers.ts'
import { listLanes } from '../platform/batches/lane.ts'
import { formatPlace } from '../platform/db/servers/server-address.ts'
import {
  COUNTERS,
  type CounterName,
  countOpenSockets,
  listCounterSums,
  onTimeRecorded,
  sumCounter,
  TIMERS,
  type TimerName,
} from '../platform/log/measures.ts'
import { newCounter, newGauge, newHistogram } from '../platform/log/metric-table.ts'
import { listenOn } from '../platform/processes/cannot-start.ts'
import { Refusal } from '../platform/refusal.ts'
import type { App, Gateway } from './app.ts'
import { addFigureGauges } from './metrics-read.ts'
import type { Config } from './settings/config.ts'

/** The metrics of a process: what it knows itself, and what it reads from the database, which is the same in every process. */
export type ProcessMetrics = { own: Registry; figures: Registry }

type MetricsParts = { metrics: ProcessMetrics; gateway: () => Gateway | null; role: string }

const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE
const LOOPBACK = '127.0.0.1'
const LIMITER_DOWN_MS = 60_000
const MS_PER_SECOND = 1000
const NANOSECONDS = 1e9

/** Collects the metrics of a process. Returns the function that stops it. No label names a merchant or an id. */
export function collectMetrics({ metrics: { own, figures }, gateway, role }: MetricsParts): () => void {
  addGauges(own, gateway)
  addEventLoopDelay(own)
  newGauge(own, 'processes', (self) => self.set({ role }, gateway() === null ? 0 : 1))
  addFigureGauges(figures, gateway)
  return countMetrics(own)
}

/** Collects what every process has, one that only watches over others too. Returns the function that stops it. */
export function countMetrics(registry: Registry): () => void {
  // prom-client's watch over the event loop would wake an idle process a hundred times a second; event_loop_delay_seconds replaces it.
  collectDefaultMetrics({ register: registry, prefix: 'gateway_', eventLoopMonitoringPrecision: 60_000 })
  return addCounters(registry)
}

/** The metrics of one process as text. */
export const writeMetrics = ({ own, figures }: ProcessMetrics): Promise<string> =>
  Registry.merge([own, figures]).metrics()

/** Serves Prometheus metrics on their own port (METRICS_PORT). Without a token they are reachable from this machine only. */
export async function serveMetrics(config: Config, read: () => Promise<string>): Promise<{ close(): Promise<void> }> {
  if (config.metricsPort === 0) return { close: async () => {} }
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    if (config.metricsToken !== null && !hasToken(request, config.metricsToken))
      return void response.writeHead(401).end()
    read().then((body) => response.writeHead(200, { 'Content-Type': CONTENT_TYPE }).end(body))
  })
  const place = { port: config.metricsPort, host: metricsHost(config), settings: 'METRICS_PORT' }
  await listenOn(
    place,
    () => new Promise<void>((resolve, reject) => server.once('error', reject).listen(place.port, place.host, resolve)),
  )
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Without a token the metrics are only served on this machine. */
const metricsHost = ({ host, metricsToken }: Config) => (metricsToken === null ? LOOPBACK : host)

function hasToken(request: IncomingMessage, token: string): boolean {
  try {
    return isSameSecret(parseBearerToken(request), token)
  } catch {
    return false
  }
}

/** The metrics on the port of the API, behind the token. */
export function addMetricsRoute(server: HttpServer, read: () => Promise<string>, token: string | null): void {
  if (token === null) return
  server.get('/metrics', async (request, reply) => {
    if (!isSameSecret(parseBearerToken(request.raw), token)) throw new Refusal(401, 'unauthorized', 'invalid api key')
    return reply.header('Content-Type', CONTENT_TYPE).send(await read())
  })
}

/** Adds figures that the process has in memory. */
function addGauges(registry: Registry, gateway: () => Gateway | null): void {
  const cells = () => gateway()?.cells ?? []
  newGauge(registry, 'db_pool_in_use', (self) => {
    for (const { cell, db } of cells()) self.set({ pool: cell }, db.pool.totalCount - db.pool.idleCount)
  })
  newGauge(registry, 'batch_waiting', (self) => {
    for (const app of cells()) for (const { name, lane } of listLanes(app)) self.set({ lane: name }, lane.waiting())
  })
  newGauge(registry, 'db_pool_waiting', (self) => {
    for (const { cell, db } of cells()) self.set({ pool: cell }, db.waiting())
  })
  newGauge(registry, 'class_in_work', (self) => {
    self.reset()
    for (const { db } of cells())
      for (const [kind, inside] of Object.entries(db.inWork())) self.inc({ class: kind }, inside)
  })
  newGauge(registry, 'cell_up', (self) => {
    self.reset()
    const away = new Set(
      gateway()
        ?.cellWatch.away()
        .map(({ cell }) => cell),
    )
    for (const { cell } of cells()) self.set({ cell, node: nodeOf(gateway(), cell) }, away.has(cell) ? 0 : 1)
  })
  newGauge(registry, 'request_log_dropped_total', (self) => self.set(gateway()?.requests.dropped() ?? 0))
  newGauge(registry, 'idempotency_in_flight', (self) =>
    self.set(cells().reduce((sum, app) => sum + app.keysInFlight.count(), 0)),
  )
  newGauge(registry, 'webhook_sockets', (self) => {
    self.reset()
    for (const [lane, open] of countOpenSockets()) self.set({ lane }, open)
  })
  newGauge(registry, 'event_readers_waiting', (self) =>
    self.set(cells().reduce((sum, app) => sum + countWaitingReaders(app), 0)),
  )
  newGauge(registry, 'clock_apart_seconds', (self) => {
    self.reset()
    const apart = gateway()?.witness.apartMs() ?? null
    if (apart !== null) self.set(apart / MS_PER_SECOND)
  })
  addLimiter(registry)
}

/** The node of a cell; empty where the database has none. */
const nodeOf = (gateway: Gateway | null, cell: string): string =>
  formatPlace(gateway?.nodes?.nodeOf(cell) ?? null) ?? ''

function addEventLoopDelay(registry: Registry): void {
  // Each sample wakes the process, even an idle one.
  const delay = monitorEventLoopDelay({ resolution: 250 })
  delay.enable()
  newGauge(registry, 'event_loop_delay_seconds', (self) => {
    self.set(Number.isFinite(delay.percentile(99)) ? delay.percentile(99) / NANOSECONDS : 0)
    delay.reset()
  })
}

/** Adds whether requests pass uncounted now: whether any did within the last minute. */
function addLimiter(registry: Registry): void {
  let before = 0
  let raisedMs = Number.NEGATIVE_INFINITY
  newGauge(registry, 'rate_limiter_down', (self) => {
    const now = sumCounter('rate_limiter_uncounted_total')
    if (now > before) raisedMs = performance.now()
    before = now
    self.set(performance.now() - raisedMs < LIMITER_DOWN_MS ? 1 : 0)
  })
}

/** Adds the counters and timers of `measures.ts`. Returns the function that stops the timing. */
function addCounters(registry: Registry): () => void {
  for (const [name, names] of Object.entries(COUNTERS) as [CounterName, readonly string[]][]) {
    const counter = newCounter(registry, name)
    // Read at a scrape, so that counting itself costs nothing.
    Object.assign(counter, {
      collect() {
        counter.reset()
        for (const { labels, value } of listCounterSums(name))
          counter.inc(Object.fromEntries(names.map((label, at) => [label, labels[at] ?? ''])), value)
      },
    })
  }
  const timers = new Map(
    (Object.entries(TIMERS) as [TimerName, readonly string[]][]).map(([name, names]) => [
      name,
      { histogram: newHistogram(registry, name), names },
    ]),
  )
  return onTimeRecorded((name, seconds, labels) => {
    const timer = timers.get(name)
    if (timer === undefined) return
    if (timer.names.length === 0) timer.histogram.observe(seconds)
    else timer.histogram.labels(...labels).observe(seconds)
  })
}

/** Observes sizes and times of group commits. */
export function observeBatches(registry: Registry, gateway: Gateway): void {
  const size = newHistogram(registry, 'batch_size')
  const seconds = newHistogram(registry, 'batch_seconds')
  const observe = (app: App) => {
    for (const { name, lane } of listLanes(app))
      lane.onRun?.((items, ms) => {
        size.observe({ lane: name }, items)
        seconds.observe({ lane: name }, ms / MS_PER_SECOND)
      })
  }
  for (const app of gateway.cells) observe(app)
  gateway.onCell(observe)
}

function isSameSecret(presented: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(presented), digest(expected))
}
