import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** One metric: its help text, its labels, and where and how dashboards show it. No merchant and no id is a label. */
export type MetricFacts = {
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  panel: 'HTTP' | 'Money' | 'Ledger' | 'Database' | 'Background' | 'Webhooks' | 'Operators' | 'Safety'
  unit: 'count' | 'seconds' | 'ratio' | 'UGX' | 'state'
  buckets?: readonly number[]
  /** How the figures of several processes under one parent become one; they are added up unless said. */
  over?: 'max' | 'min' | 'average'
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const OPERATOR_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25]
const LONG_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3600, 21_600]
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200]

type MetricPanel = Pick<MetricFacts, 'panel'>
const counter = (where: MetricPanel, help: string, ...labels: string[]): MetricFacts => ({
  ...{ kind: 'counter', help, labels, unit: 'count' },
  ...where,
})
const gauge = (where: MetricPanel, unit: MetricFacts['unit'], help: string, ...labels: string[]): MetricFacts => ({
  ...{ kind: 'gauge', help, labels, unit },
  ...where,
})
const histogram = (where: MetricPanel, buckets: readonly number[], help: string, ...labels: string[]): MetricFacts => ({
  ...{ kind: 'histogram', help, labels, unit: 'seconds', buckets },
  ...where,
})
const HTTP = { panel: 'HTTP' } as const
const MONEY = { panel: 'Money' } as const
const LEDGER = { panel: 'Ledger' } as const
const DATABASE = { panel: 'Database' } as const
const BACKGROUND = { panel: 'Background' } as const
const WEBHOOKS = { panel: 'Webhooks' } as const
const OPERATORS = { panel: 'Operators' } as const
const SAFETY = { panel: 'Safety' } as const

/** Every metric of the product; the manual, the dashboards and the rules in `ops/` are made from it. */
const TABLE = {
  http_requests_total: counter(HTTP, 'requests answered', 'route', 'status'),
  http_request_seconds: histogram(HTTP, REQUEST_SECONDS, 'time from request to answer', 'route'),
  admission_refused_total: counter(HTTP, 'requests refused because they would wait too long', 'class', 'reason'),
  class_in_work: gauge(HTTP, 'count', 'transactions under way, by what they are for', 'class'),
  event_loop_delay_seconds: {
    ...gauge(HTTP, 'seconds', 'how late timers of this process come, the slowest of a hundred'),
    over: 'max',
  },
  idempotency_total: counter(HTTP, 'requests with an Idempotency-Key, by what became of the key', 'outcome'),
  idempotency_in_flight: gauge(HTTP, 'count', 'keys being worked on'),
  idempotency_running_oldest_seconds: gauge(HTTP, 'seconds', 'age of the oldest key without an answer'),
  request_log_dropped_total: gauge(HTTP, 'count', 'requests without room in the log of their merchant'),

  charges_total: counter(MONEY, 'charges that ended', 'mode', 'status'),
  payouts_total: counter(MONEY, 'payouts that ended', 'mode', 'status'),
  charge_completion_seconds: histogram(MONEY, LONG_SECONDS, 'time from the creation of a live charge to its end'),
  parked: gauge(MONEY, 'count', 'live movements without an answer for more than 15 minutes', 'kind'),
  parked_oldest_seconds: gauge(MONEY, 'seconds', 'age of the oldest live movement under way', 'kind'),
  ambiguous_total: counter(MONEY, 'calls to operators whose end is not known', 'rail', 'operation'),
  breaks_open: gauge(MONEY, 'count', 'open exceptions', 'severity'),
  break_oldest_seconds: gauge(MONEY, 'seconds', 'age of the oldest open exception'),

  invariant_violations: gauge(LEDGER, 'count', 'rows that break an invariant, as the last verify saw them', 'name'),
  verify_last_success_seconds: gauge(LEDGER, 'seconds', 'how long ago every invariant held; the cell that is worst'),
  verify_rows: gauge(LEDGER, 'count', 'rows that the last verify looked at'),
  balance_inconsistent_total: counter(LEDGER, 'postings refused because they would have gone below a floor'),
  settlement_lag_seconds: gauge(LEDGER, 'seconds', 'how long held money has been due'),

  db_pool_in_use: gauge(DATABASE, 'count', 'connections in use', 'pool'),
  db_pool_waiting: gauge(DATABASE, 'count', 'work waiting for a connection', 'pool'),
  db_pool_wait_seconds: histogram(DATABASE, REQUEST_SECONDS, 'how long work waited for a connection', 'pool'),
  batch_size: { ...histogram(DATABASE, BATCH_SIZES, 'items in a group commit', 'lane'), unit: 'count' },
  batch_seconds: histogram(DATABASE, REQUEST_SECONDS, 'time of a group commit', 'lane'),
  batch_waiting: gauge(DATABASE, 'count', 'items waiting for a group commit', 'lane'),
  db_retries_total: counter(DATABASE, 'transactions that were run again', 'sqlstate'),
  commit_unknown_total: counter(DATABASE, 'commits whose outcome is not known'),
  db_server_changes_total: counter(DATABASE, 'how often another server of DATABASE_URL took the writes'),
  cell_up: {
    ...gauge(
      DATABASE,
      'state',
      '1 when a cell answers this process, 0 when it does not; the node is empty without Citus',
      'cell',
      'node',
    ),
    over: 'min',
  },
  db_node_changes_total: counter(DATABASE, 'how often a cell or the directory was found on another node of Citus'),
  db_silent_connections_total: counter(DATABASE, 'connections that were ended because the server was silent'),
  idle_in_transaction_oldest_seconds: gauge(DATABASE, 'seconds', 'age of the oldest transaction that does nothing'),
  wal_volume_used_ratio: gauge(DATABASE, 'ratio', 'how full the disk of the embedded database is'),
  replica_lag_seconds: gauge(DATABASE, 'seconds', 'how far the slowest standby is behind'),

  sweep_lag_seconds: gauge(BACKGROUND, 'seconds', 'how far a task is behind; the cell that is worst', 'sweep'),
  sweep_failed_total: counter(BACKGROUND, 'runs of tasks that failed', 'sweep'),
  lease_lost_total: counter(BACKGROUND, 'work whose lease somebody else had taken when it ended', 'sweep'),
  processes: gauge(BACKGROUND, 'count', 'processes that work, by what they do', 'role'),
  process_deaths_total: counter(BACKGROUND, 'processes under a parent that ended by themselves', 'role'),
  worker_heartbeat_age_seconds: gauge(BACKGROUND, 'seconds', 'how long ago a worker was heard'),

  webhook_first_attempt_seconds: histogram(WEBHOOKS, LONG_SECONDS, 'time from an event to its first attempt'),
  webhook_attempts_total: counter(WEBHOOKS, 'attempts to deliver an event', 'result', 'lane'),
  webhook_pending: gauge(WEBHOOKS, 'count', 'deliveries that wait for an attempt, counted to 5,000'),
  webhook_oldest_seconds: gauge(WEBHOOKS, 'seconds', 'how long the oldest delivery has been due'),
  webhook_addresses_silent: gauge(
    WEBHOOKS,
    'count',
    'addresses beside the first one that take nothing: failing for a day, paused or switched off; counted to 1,000 each',
    'mode',
    'state',
  ),
  event_readers_waiting: gauge(WEBHOOKS, 'count', 'requests that wait for an event (GET /v1/events)'),
  webhook_sockets: gauge(WEBHOOKS, 'count', 'attempts under way', 'lane'),
  webhook_refused_target_total: counter(WEBHOOKS, 'attempts to addresses that may not be called'),

  rail_requests_total: counter(
    OPERATORS,
    'calls to operators, by what their answers meant',
    'rail',
    'operation',
    'class',
  ),
  rail_seconds: histogram(OPERATORS, OPERATOR_SECONDS, 'how long operators take to answer', 'rail', 'operation'),
  breaker_state: {
    ...gauge(
      OPERATORS,
      'state',
      'whether payments go out to an operator: 0 yes, 1 it is being probed, 2 no',
      'rail',
      'side',
    ),
    over: 'max',
  },
  rail_float_ugx: gauge(OPERATORS, 'UGX', 'our money at an operator, when it was last asked', 'rail', 'product'),
  rail_last_answer_seconds: gauge(
    OPERATORS,
    'seconds',
    'how long ago an operator last answered a payment',
    'rail',
    'product',
  ),
  status_budget_left: {
    ...gauge(
      OPERATORS,
      'count',
      'status questions that an operator may be asked at once, when it was last asked',
      'rail',
    ),
    over: 'min',
  },
  supplier_requests_total: counter(OPERATORS, 'calls to machine suppliers', 'class'),
  dispensing_oldest_seconds: gauge(
    OPERATORS,
    'seconds',
    'age of the oldest command of a day to a machine without a report',
  ),

  auth_failures_total: counter(SAFETY, 'requests without a valid key or session'),
  password_hashes_total: counter(SAFETY, 'passwords and tries that were hashed'),
  rate_limited_total: counter(SAFETY, 'requests over a limit', 'route'),
  rate_limiter_down: {
    ...gauge(SAFETY, 'state', '1 while requests pass this process without being counted'),
    over: 'max',
  },
  rate_limiter_uncounted_total: counter(SAFETY, 'requests that passed without being counted'),
  signature_failures_total: counter(SAFETY, 'callbacks whose signature or token is not valid', 'source'),
  backup_faults: gauge(SAFETY, 'count', 'what is late about backups and their drills, where backups are configured'),
  wal_stream_silent: gauge(SAFETY, 'state', '1 while nothing receives the WAL that BACKUP_DIR should have'),
  audit_chain_lag_seconds: gauge(SAFETY, 'seconds', 'age of the oldest audit row that no seal holds', 'place'),
  clock_apart_seconds: {
    ...gauge(
      SAFETY,
      'seconds',
      'how far the clock of the process is ahead of that of the database; less than 0: behind',
    ),
    // Processes under one parent have one clock.
    over: 'average',
  },
  trace_spans_dropped_total: counter(SAFETY, 'spans of traces that were lost', 'reason'),
  log_lines_dropped_total: counter(SAFETY, 'lines of the log without room'),
  log_lines_left_out_total: counter(
    SAFETY,
    'lines of the log that were counted instead of written, because many were alike',
  ),
} as const satisfies Record<string, MetricFacts>

export type MetricName = keyof typeof TABLE
/** The table, typed by the general facts. */
export const METRICS: Readonly<Record<MetricName, MetricFacts>> = TABLE

const metricOptions = (registry: Registry, name: MetricName) => {
  const { help, labels, over } = METRICS[name]
  const aggregator: Aggregator = over ?? 'sum'
  return { name, help, labelNames: labels, registers: [registry], aggregator }
}

/** Makes the counter of this name, as the table declares it. */
export const newCounter = (registry: Registry, name: MetricName): Counter => new Counter(metricOptions(registry, name))

/** Makes the histogram of this name, for observed times and sizes. */
export const newHistogram = (registry: Registry, name: MetricName): Histogram =>
  new Histogram({ ...metricOptions(registry, name), buckets: [...(METRICS[name].buckets ?? [])] })

/** Makes the gauge of this name: `collect` sets it when the metrics are read; without it, it is set when the figure changes. */
export const newGauge = (
  registry: Registry,
  name: MetricName,
  collect?: (self: Gauge) => void | Promise<void>,
): Gauge =>
  new Gauge({
    ...metricOptions(registry, name),
    ...(collect === undefined
      ? {}
      : {
          collect() {
            return collect(this)
          },
        }),
  })

/** The table as Markdown. */
export function formatMetricTable(): string {
  const rows = Object.entries(METRICS).map(([name, { kind, help, labels, panel }]) => {
    const labelled = labels.length === 0 ? '' : `{${labels.join(',')}}`
    return `| \`${name}${labelled}\` | ${kind} | ${panel} | ${help} |`
  })
  return ['| Metric | Kind | Dashboard | What it says |', '|---|---|---|---|', ...rows].join('\n')
}
