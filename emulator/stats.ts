import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How this process is doing, in real time whatever clock the operator has. */
export type Stats = {
  requests: number
  callbacks: number
  byStatus: Record<string, number>
  perSecond: number
  cpuShare: number
  loopDelayP99Ms: number
  /** How many answers took less than so many ms, and not less than the line before; the last has no upper end. */
  latencies: { belowMs: number | null; answers: number }[]
}

const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000]
const SECOND = 1000

/** Counts answers, and how busy this process is since the last `clear`. */
export function openStats() {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  let since = performance.now()
  let cpu = process.cpuUsage()
  let byStatus: Record<string, number> = {}
  let latencies = STEPS_MS.map(() => 0)
  let slower = 0
  let requests = 0
  return {
    begin: () => performance.now(),
    count(ended: number | string, beganAt: number) {
      requests += 1
      byStatus[ended] = (byStatus[ended] ?? 0) + 1
      const step = STEPS_MS.findIndex((ms) => performance.now() - beganAt < ms)
      if (step === -1) slower += 1
      else latencies[step] = (latencies[step] ?? 0) + 1
    },
    read(callbacks: number): Stats {
      const seconds = (performance.now() - since) / SECOND
      const { user, system } = process.cpuUsage(cpu)
      const steps = STEPS_MS.map((belowMs, nth) => ({ belowMs, answers: latencies[nth] ?? 0 }))
      return {
        requests,
        callbacks,
        byStatus: { ...byStatus },
        perSecond: Math.round(requests / seconds),
        cpuShare: (user + system) / 1e6 / seconds,
        loopDelayP99Ms: delay.percentile(99) / 1e6,
        latencies: [...steps, { belowMs: null, answers: slower }],
      }
    },
    clear() {
      since = performance.now()
      cpu = process.cpuUsage()
      byStatus = {}
      latencies = STEPS_MS.map(() => 0)
      slower = 0
      requests = 0
      delay.reset()
    },
    stop: () => delay.disable(),
  }
}
