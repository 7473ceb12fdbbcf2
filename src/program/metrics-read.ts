import { statfs } from 'node:fs/promises'
import type { Gauge, Registry } from 'prom-client'
import { readSealLagSeconds } from '../api/access/seal-audit.ts'
import { findBackupFaults, findSilentStream } from '../operations/backups/backup-faults.ts'
import { workerAgeMs } from '../operations/jobs/process.ts'
import { lagMs } from '../operations/jobs/read-jobs.ts'
import { readDueSince } from '../operations/overview/cell-figures.ts'
import { readServiceFigures, type ServiceFigures } from '../operations/overview/service-figures.ts'
import { sumBreaks, sumSilentAddresses, sumUnderWay } from '../operations/overview/sum-figures.ts'
import { shareRead } from '../platform/batches/shared-read.ts'
import { statement } from '../platform/db/statement.ts'
import { METRICS, type MetricName, newGauge } from '../platform/log/metric-table.ts'
import { findEarliest } from '../platform/time/earliest.ts'
import type { Gateway } from './app.ts'

// Metrics that are read from the databases. However often they are scraped, each query runs once in some seconds; a figure that cannot be
// read is left out, so that a scrape never waits for a database that is away.

const SLOW_FRESH_MS = 60_000
const PARKED_FROM_BAND = 3

type FigureReader = (figures: ServiceFigures) => readonly (readonly [labels: Record<string, string>, value: number])[]

const FIGURE_READERS: Partial<Record<MetricName, FigureReader>> = {
  parked: (figures) =>
    sumUnderWay(figures).map(({ noun, bands }) => [
      { kind: noun },
      bands.slice(PARKED_FROM_BAND).reduce((sum, { count }) => sum + count, 0),
    ]),
  parked_oldest_seconds: (figures) =>
    sumUnderWay(figures).map(({ noun, oldest }) => [{ kind: noun }, ageSeconds(figures, oldest)]),
  breaks_open: (figures) =>
    (['critical', 'major'] as const).map((severity) => [{ severity }, sumBreaks(figures, severity).count]),
  break_oldest_seconds: (figures) => [
    [
      {},
      ageSeconds(
        figures,
        findEarliest((['critical', 'major'] as const).map((severity) => sumBreaks(figures, severity).oldest)),
      ),
    ],
  ],
  invariant_violations: ({ verify }) =>
    verify.flatMap(({ broken }) => (broken ?? []).map(({ id, violations }) => [{ name: id }, violations])),
  verify_last_success_seconds: (figures) => {
    const ages = figures.verified.map(({ at, first }) => ageSeconds(figures, at ?? first))
    return ages.length === 0 ? [] : [[{}, Math.max(...ages)]]
  },
  verify_rows: ({ verify }) =>
    verify.length === 0 ? [] : [[{}, verify.reduce((sum, { looked }) => sum + (looked ?? 0), 0)]],
  sweep_lag_seconds: ({ jobs, at }) => {
    const worst = new Map<string, number>()
    for (const job of jobs) worst.set(job.sweep, Math.max(worst.get(job.sweep) ?? 0, lagMs(job, at.getTime()) / 1000))
    return [...worst].map(([sweep, seconds]) => [{ sweep }, seconds])
  },
  worker_heartbeat_age_seconds: ({ processes, at }) => {
    const age = workerAgeMs(processes, at.getTime())
    return age === null ? [] : [[{}, age / 1000]]
  },
  idempotency_running_oldest_seconds: (figures) => [
    [{}, ageSeconds(figures, findEarliest(figures.cells.map(({ oldest }) => oldest.key)))],
  ],
  webhook_pending: ({ cells }) => [[{}, cells.reduce((sum, { webhooks }) => sum + webhooks.pending, 0)]],
  webhook_oldest_seconds: (figures) => [
    [{}, ageSeconds(figures, findEarliest(figures.cells.map(({ webhooks }) => webhooks.oldestDueAt)))],
  ],
  webhook_addresses_silent: (figures) =>
    sumSilentAddresses(figures).map(({ mode, state, count }) => [{ mode, state }, count]),
  rail_float_ugx: ({ floats }) =>
    floats
      .filter(({ currency }) => currency === 'UGX')
      .map(({ installation, side, operator }) => [{ rail: installation, product: side }, operator]),
  rail_last_answer_seconds: (figures) =>
    figures.rails.flatMap(({ installation, side, lastAnswerAt }) =>
      lastAnswerAt === null
        ? []
        : [[{ rail: installation, product: side }, ageSeconds(figures, lastAnswerAt)] as const],
    ),
  dispensing_oldest_seconds: (figures) => [
    [{}, ageSeconds(figures, findEarliest(figures.cells.map(({ oldest }) => oldest.dispense)))],
  ],
}

const ageSeconds = ({ at: now }: ServiceFigures, at: Date | null): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1000)

/** Declares every metric that is read at a scrape. */
export function addFigureGauges(registry: Registry, gateway: () => Gateway | null): void {
  for (const [name, read] of Object.entries(FIGURE_READERS) as [MetricName, FigureReader][])
    newGauge(registry, name, async (self) => {
      // A figure without labels would say 0 where nothing is known.
      if (METRICS[name].labels.length === 0) self.remove()
      else self.reset()
      const running = gateway()
      const figures = running === null ? null : await readServiceFigures(running).catch(() => null)
      for (const [labels, value] of figures === null ? [] : read(figures)) self.set(labels, value)
    })
  addSlowGauges(registry, gateway)
  addSealLag(registry, gateway)
}

const SERVER_FIGURES = statement<{ idleSince: Date | null; replicaLag: number | null }>(
  'transactions and standbys of the server',
  `select (select min(state_change) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%') as "idleSince",
     (select extract(epoch from max(replay_lag))::float8 from pg_stat_replication) as "replicaLag"`,
)

type SlowFigures = Partial<Record<MetricName, number>>
const SLOW_METRICS = [
  'settlement_lag_seconds',
  'idle_in_transaction_oldest_seconds',
  'replica_lag_seconds',
  'wal_volume_used_ratio',
  'backup_faults',
  'wal_stream_silent',
] as const satisfies readonly MetricName[]

/** Adds figures that cost more or change slowly: they are read at most once a minute. */
function addSlowGauges(registry: Registry, gateway: () => Gateway | null): void {
  let last: SlowFigures = {}
  let readMs = Number.NEGATIVE_INFINITY
  const refresh = shareRead(async () => {
    const running = gateway()
    if (running === null) return
    last = await readSlowFigures(running)
    readMs = performance.now()
  }, SLOW_FRESH_MS)
  for (const name of SLOW_METRICS)
    newGauge(registry, name, async (self) => {
      if (performance.now() - readMs > SLOW_FRESH_MS) await refresh().catch(() => {})
      self.remove()
      const value = last[name]
      if (value !== undefined) self.set(value)
    })
}

async function readSlowFigures(gateway: Gateway): Promise<SlowFigures> {
  const { cells, clock, config, directory } = gateway
  const nowMs = clock.nowMs()
  const age = (at: Date | null) => (at === null ? 0 : Math.max(0, (nowMs - at.getTime()) / 1000))
  const due = await Promise.all(cells.map(readDueSince))
  const [server] = await directory.query(SERVER_FIGURES)
  return {
    settlement_lag_seconds: age(findEarliest(due)),
    idle_in_transaction_oldest_seconds: age(server?.idleSince ?? null),
    ...(server?.replicaLag == null ? {} : { replica_lag_seconds: server.replicaLag }),
    ...(config.databaseUrl === null ? { wal_volume_used_ratio: await usedRatio(config.dataDir) } : {}),
    backup_faults: (await findBackupFaults(gateway, clock.now())).length,
    wal_stream_silent: (await findSilentStream(gateway)) === null ? 0 : 1,
  }
}

async function usedRatio(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder)
  return blocks === 0 ? 0 : 1 - bavail / (blocks - bfree + bavail)
}

/** Adds how long committed rows of the audit wait for their seals. A database that does not answer gets no figure. */
function addSealLag(registry: Registry, gateway: () => Gateway | null): void {
  newGauge(registry, 'audit_chain_lag_seconds', async (self: Gauge) => {
    self.reset()
    const running = gateway()
    if (running === null) return
    const { clock, cells, directory } = running
    const databases = [...cells.map(({ cell, db }) => ({ name: cell, db })), { name: 'directory', db: directory }]
    for (const { name, db } of databases) {
      const lag = await readSealLagSeconds(db, clock.nowMs()).catch(() => null)
      if (lag !== null) self.set({ place: name }, lag)
    }
  })
}
