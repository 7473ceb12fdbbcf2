/**
 * The counters and times of this process for the metrics. Any code may count; it costs a look-up in a map and waits for nothing. `metrics/`
 * reads the sums.
 */

/** Counters, with the names of their labels in the order in which the values are given. */
export const COUNTERS = {
  admission_refused_total: ['class', 'reason'],
  charges_total: ['mode', 'status'],
  payouts_total: ['mode', 'status'],
  ambiguous_total: ['rail', 'operation'],
  balance_inconsistent_total: [],
  db_retries_total: ['sqlstate'],
  commit_unknown_total: [],
  db_server_changes_total: [],
  db_node_changes_total: [],
  db_silent_connections_total: [],
  sweep_failed_total: ['sweep'],
  process_deaths_total: ['role'],
  lease_lost_total: ['sweep'],
  idempotency_total: ['outcome'],
  webhook_attempts_total: ['result', 'lane'],
  webhook_refused_target_total: [],
  supplier_requests_total: ['class'],
  auth_failures_total: [],
  password_hashes_total: [],
  rate_limited_total: ['route'],
  rate_limiter_uncounted_total: [],
  signature_failures_total: ['source'],
  trace_spans_dropped_total: ['reason'],
  log_lines_dropped_total: [],
  log_lines_left_out_total: [],
} as const satisfies Record<string, readonly string[]>
export type CounterName = keyof typeof COUNTERS

/** Times, in seconds. */
export const TIMERS = {
  charge_completion_seconds: [],
  db_pool_wait_seconds: ['pool'],
  webhook_first_attempt_seconds: [],
} as const satisfies Record<string, readonly string[]>
export type TimerName = keyof typeof TIMERS

type LabelValues<Names extends readonly string[]> = { [K in keyof Names]: string }
type CounterSum = { labels: readonly string[]; value: number }

const counterSums = new Map<CounterName, Map<string, CounterSum>>()
const timerListeners: ((name: TimerName, seconds: number, labels: readonly string[]) => void)[] = []

/** Adds one to a counter, with the values of its labels. */
export function count<Name extends CounterName>(name: Name, ...labels: LabelValues<(typeof COUNTERS)[Name]>): void {
  const values: readonly string[] = labels
  const key = values.join('\n')
  const byLabels = counterSums.get(name) ?? new Map<string, CounterSum>()
  counterSums.set(name, byLabels)
  const sum = byLabels.get(key)
  if (sum === undefined) byLabels.set(key, { labels: values, value: 1 })
  else sum.value += 1
}

/** The sums of a counter since the process began, by the values of its labels. */
export const listCounterSums = (name: CounterName): readonly CounterSum[] => [
  ...(counterSums.get(name)?.values() ?? []),
]

/** The sum of a counter over all values of its labels. */
export const sumCounter = (name: CounterName): number =>
  listCounterSums(name).reduce((sum, { value }) => sum + value, 0)

/** Records how long something took, in seconds. */
export function recordTime<Name extends TimerName>(
  name: Name,
  seconds: number,
  ...labels: LabelValues<(typeof TIMERS)[Name]>
): void {
  for (const listen of timerListeners) listen(name, seconds, labels)
}

/** Calls the listener for each recorded time. Returns the function that removes it. */
export function onTimeRecorded(listen: (typeof timerListeners)[number]): () => void {
  timerListeners.push(listen)
  return () => void timerListeners.splice(timerListeners.indexOf(listen), 1)
}

const socketsBySender = new Map<object, Readonly<Record<string, number>>>()

/** Registers a sender of webhooks. `lanes` holds how many attempts it has under way by speed, and is read whenever the metrics are. */
export function registerSockets(sender: object, lanes: Readonly<Record<string, number>>): void {
  socketsBySender.set(sender, lanes)
}

/** Counts the attempts under way of all senders of this process, by speed. */
export function countOpenSockets(): Map<string, number> {
  const totals = new Map<string, number>()
  for (const lanes of socketsBySender.values())
    for (const [lane, open] of Object.entries(lanes)) totals.set(lane, (totals.get(lane) ?? 0) + open)
  return totals
}
