import { Counter, Histogram, type Registry } from 'prom-client'

/** Counts and times of requests, by route pattern and status; never by merchant or id. */
export type RequestMetrics = { observe(route: string, seen: { status: number; ms: number }): void }

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function requestMetrics(registry: Registry): RequestMetrics {
  const total = new Counter({
    name: 'http_requests_total',
    help: 'requests answered',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'time from request to answer',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [registry],
  })
  // The children are kept: looking one up by labels costs more than counting.
  const totals = new Map<string, ReturnType<typeof total.labels>>()
  const times = new Map<string, ReturnType<typeof seconds.labels>>()
  return {
    observe(route, { status, ms }) {
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
