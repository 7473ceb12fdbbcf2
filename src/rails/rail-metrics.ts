import type { Registry } from 'prom-client'
import { count } from '../platform/log/measures.ts'
import { newCounter, newGauge, newHistogram } from '../platform/log/metric-table.ts'
import type { App } from '../program/app.ts'
import { liveInstallations } from './live-rails.ts'
import type { BreakerPosition, RailObserver } from './rail-observer.ts'

const POSITION_VALUES = { closed: 0, probing: 1, open: 2 } as const satisfies {
  [state in BreakerPosition]: number
}
const MS_PER_SECOND = 1000

/** Makes the observer that counts the calls to operators in these metrics; the label `rail` is the id of an installation. */
export function railMetrics(registry: Registry, app: Pick<App, 'rails' | 'statusBudget'>): RailObserver {
  const requests = newCounter(registry, 'rail_requests_total')
  const seconds = newHistogram(registry, 'rail_seconds')
  const breakers = newGauge(registry, 'breaker_state')
  for (const { id, sides } of liveInstallations(app))
    for (const side of sides) breakers.set({ rail: id, side }, POSITION_VALUES.closed)
  newGauge(registry, 'status_budget_left', async (self) => {
    self.reset()
    for (const { installation, tokens } of await app.statusBudget.left().catch(() => []))
      self.set({ rail: installation }, tokens)
  })
  return {
    request(rail, operation, outcome, { ms }) {
      if (outcome === 'ambiguous') count('ambiguous_total', rail, operation)
      requests.inc({ rail, operation, class: outcome })
      seconds.observe({ rail, operation }, ms / MS_PER_SECOND)
    },
    breaker: (rail, side, state) => breakers.set({ rail, side }, POSITION_VALUES[state]),
  }
}
