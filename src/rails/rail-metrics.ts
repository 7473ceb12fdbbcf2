import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { App } from '../app.ts'
import type { BreakerPosition, RailObserver } from './rail-observer.ts'

const POSITIONS = { closed: 0, probing: 1, open: 2 } as const satisfies { [state in BreakerPosition]: number }
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25]
const MS = 1000

/** Counts the calls to operators in these metrics; `rail` is the name of a contract. */
export function railMetrics(
  registry: Registry,
  { rails, statusBudget }: Pick<App, 'rails' | 'statusBudget'>,
): RailObserver {
  const registers = [registry]
  const requests = new Counter({
    name: 'rail_requests_total',
    help: 'calls to operators, by what their answers meant',
    labelNames: ['rail', 'operation', 'class'],
    registers,
  })
  const seconds = new Histogram({
    name: 'rail_seconds',
    help: 'how long operators take to answer',
    labelNames: ['rail', 'operation'],
    buckets: SECONDS,
    registers,
  })
  const breakers = new Gauge({
    name: 'breaker_state',
    help: 'whether payments go out to an operator: 0 yes, 1 it is being probed, 2 no',
    labelNames: ['rail', 'side'],
    registers,
  })
  for (const { id, sides } of rails.live.op1_momo?.installations ?? [])
    for (const side of sides) breakers.set({ rail: id, side }, POSITIONS.closed)
  new Gauge({
    name: 'status_budget_left',
    help: 'status questions that an operator may be asked at once, when it was last asked',
    labelNames: ['rail'],
    registers,
    async collect() {
      this.reset()
      for (const { installation, tokens } of await statusBudget.left().catch(() => []))
        this.set({ rail: installation }, tokens)
    },
  })
  return {
    request(rail, operation, outcome, ms) {
      requests.inc({ rail, operation, class: outcome })
      seconds.observe({ rail, operation }, ms / MS)
    },
    breaker: (rail, side, state) => breakers.set({ rail, side }, POSITIONS[state]),
  }
}
