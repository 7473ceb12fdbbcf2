import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Child } from './child.ts'
import type { MetricReport } from './messages.ts'

/** The metrics of a parent and its children as one. */
export type FleetMetrics = {
  /** The text for Prometheus. A child that does not answer in time counts as it last did. */
  read(): Promise<string>
  /** Keeps what a child has counted that has ended: a sum that became smaller would look like a new beginning. */
  keep(child: Child): void
}

// What only grows. A gauge of a process that is gone, or does not answer, says nothing.
const GROWING: readonly unknown[] = ['counter', 'histogram']

/** `own`: the metrics of the parent itself. */
export function newFleetMetrics(own: Registry, children: () => readonly Child[]): FleetMetrics {
  let kept: MetricReport = []
  return {
    async read() {
      const answers = await askAll(children().filter((child) => child.isReady()))
      const ofParent: MetricReport = await own.getMetricsAsJSON()
      // From here on nothing waits, so that a child that ends meanwhile is counted once.
      const reports = children().map((child) => answers.get(child) ?? growing(child.told()))
      return await AggregatorRegistry.aggregate([ofParent, kept, ...reports]).metrics()
    },
    keep(child) {
      const sums = AggregatorRegistry.aggregate([kept, growing(child.told())])
      // prom-client makes them of the fields that a report has.
      kept = sums.getMetricsAsArray() as unknown as MetricReport
    },
  }
}

const growing = (report: MetricReport) => report.filter(({ type }) => GROWING.includes(type))

/** Asks each child. What all would read from the database alike is asked of one: the first, or where that does not answer another one. */
async function askAll(children: readonly Child[]): Promise<Map<Child, MetricReport>> {
  const answers = new Map<Child, MetricReport>()
  const ask = async (child: Child, figures: boolean) => {
    const report = await child.report({ figures })
    if (report !== null) answers.set(child, report)
  }
  await Promise.all(children.map((child, at) => ask(child, at === 0)))
  const [first] = children
  const other = [...answers.keys()][0]
  if (first !== undefined && other !== undefined && !answers.has(first)) await ask(other, true)
  return answers
}
