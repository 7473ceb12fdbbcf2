/**
 * What this process counts and times for the metrics, from wherever it happens. Counting costs a look-up in a map and nobody waits for it;
 * `metrics/` reads the sums.
 */

/** Counters, with the names of their labels in the order in which the values are given. */
const COUNTED = {
  admission_refused_total: ['class', 'reason'],
  charges_total: ['mode', 'status'],
  payouts_total: ['mode', 'status'],
  ambiguous_total: ['rail', 'operation'],
  balance_inconsistent_total: [],
  db_retries_total: ['sqlstate'],
  commit_unknown_total: [],
  sweep_failed_total: ['sweep'],
  lease_lost_total: ['sweep'],
  idempotency_total: ['outcome'],
  webhook_attempts_total: ['result', 'lane'],
  webhook_refused_target_total: [],
  supplier_requests_total: ['class'],
  auth_failures_total: [],
  rate_limited_total: ['route'],
  rate_limiter_uncounted_total: [],
  signature_failures_total: ['source'],
  log_lines_dropped_total: [],
} as const satisfies Record<string, readonly string[]>
export type Counted = keyof typeof COUNTED

type Values<Names extends readonly string[]> = { [K in keyof Names]: string }
type Sum = { labels: readonly string[]; value: number }

const sums = new Map<Counted, Map<string, Sum>>()

/** Counts one of these, with the values of its labels. */
export function count<Name extends Counted>(name: Name, ...labels: Values<(typeof COUNTED)[Name]>): void {
  const values: readonly string[] = labels
  const key = values.join('\n')
  const of = sums.get(name) ?? new Map<string, Sum>()
  sums.set(name, of)
  const sum = of.get(key)
  if (sum === undefined) of.set(key, { labels: values, value: 1 })
  else sum.value += 1
}

/** The sums of a counter since the process began, by the values of its labels. */
const sumsOf = (name: Counted): readonly Sum[] => [...(sums.get(name)?.values() ?? [])]

/** All of a counter together. */
export const totalOf = (name: Counted): number => sumsOf(name).reduce((sum, { value }) => sum + value, 0)
