import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Stats = {
  requests: number
  byStatus: Record<string, number>
  perSecond: number
  cpuShare: number
  loopDelayP99Ms: number
}

/** Counts answers, and how busy this process is. */
export function openStats() {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const byStatus: Record<string, number> = {}
  let requests = 0
  return {
    count(ended: number | string) {
      requests += 1
      byStatus[ended] = (byStatus[ended] ?? 0) + 1
    },
    read(): Stats {
      const seconds = (performance.now() - startedAt) / 1000
      const { user, system } = process.cpuUsage(cpu)
      return {
        requests,
        byStatus: { ...byStatus },
        perSecond: Math.round(requests / seconds),
        cpuShare: (user + system) / 1e6 / seconds,
        loopDelayP99Ms: delay.percentile(99) / 1e6,
      }
    },
    stop: () => delay.disable(),
  }
}
