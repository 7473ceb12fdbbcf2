import type { Registry } from 'prom-client'
import { count } from '../../platform/log/measures.ts'
import { newCounter, newHistogram } from '../../platform/log/metric-table.ts'

/** Counts and times of requests, by route pattern and status; never by merchant or id. */
export type RequestMetrics = {
  observe(
    route: string,
    /** `outcome`: of a request with an Idempotency-Key. `live`: of the API, with a key for live money. */
    observed: { status: number; ms: number; outcome?: string | null; live?: boolean },
  ): void
}

export function newRequestMetrics(registry: Registry, countLive: (status: number) => void): RequestMetrics {
  const total = newCounter(registry, 'http_requests_total')
  const seconds = newHistogram(registry, 'http_request_seconds')
  // The children are kept: looking one up by labels costs more than counting.
  const totals = new Map<string, ReturnType<typeof total.labels>>()
  const times = new Map<string, ReturnType<typeof seconds.labels>>()
  return {
    observe(route, { status, ms, outcome = null, live = false }) {
      if (live) countLive(status)
      if (status === 401) count('auth_failures_total')
      if (status === 429) count('rate_limited_total', route)
      if (outcome !== null) count('idempotency_total', outcome)
      const key = `${route} ${status}`
      const counter = totals.get(key) ?? total.labels(route, String(status))
      totals.set(key, counter)
      counter.inc()
      const timer = times.get(route) ?? seconds.labels(route)
      times.set(route, timer)
      timer.observe(ms / 1000)
    },
  }
}
