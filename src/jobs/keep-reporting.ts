import type { App, Gateway } from '../app.ts'
import { loggedError } from '../platform/error-log.ts'
import type { SweepRun } from '../platform/sweep.ts'
import { heartOf, type ProcessRole } from './process.ts'
import { runReporter } from './report-runs.ts'
import { claimAskedRuns, endAskedRun } from './requested-runs.ts'

/** Reports a process and the runs of its tasks, and takes up runs that staff requested. */
export type Reporting = {
  /** Writes the report and takes up requests; to be called every few seconds. */
  beat(): Promise<void>
  /** Notes a run of a task. */
  ran(app: App, run: SweepRun): void
  /** Writes the last report of a process that stops. */
  stop(): Promise<void>
}

const MOST_WORDS = 300

/** `wake` makes the worker of this process run a task now. */
export function reporting(
  gateway: Gateway,
  { role, wake }: { role: ProcessRole; wake: (cell: string, sweep: Parameters<App['nudge']>[0]) => void },
): Reporting {
  const heart = heartOf(gateway, role)
  const runs = runReporter(gateway)
  const requests = new Map<string, { id: number; claimedAt: number }>()
  const finished: { id: number; at: Date; handled: number | null; error: string | null }[] = []

  async function claimRequests(): Promise<void> {
    for (const { id, cell, sweep } of await claimAskedRuns(gateway)) {
      requests.set(`${cell} ${sweep}`, { id, claimedAt: gateway.clock.nowMs() })
      wake(cell, sweep)
    }
  }

  async function storeFinished(): Promise<void> {
    for (let run = finished[0]; run !== undefined; run = finished[0]) {
      await endAskedRun(gateway, run)
      finished.shift()
    }
  }

  return {
    ran(app, run) {
      runs.note(app, run)
      const key = `${app.cell} ${run.sweep.name}`
      const request = requests.get(key)
      // A run that was under way when the request was claimed may have begun before it was made.
      if (request === undefined || run.startedAt.getTime() < request.claimedAt) return
      requests.delete(key)
      const error = run.handled === null ? loggedError(run.error).message.slice(0, MOST_WORDS) : null
      finished.push({ id: request.id, at: app.clock.now(), handled: run.handled, error })
    },
    async beat() {
      await heart.beat()
      if (role === 'web') return
      await runs.write()
      await storeFinished()
      await claimRequests()
    },
    async stop() {
      await runs.write().catch(() => {})
      await storeFinished().catch(() => {})
      await heart.gone().catch(() => {})
    },
  }
}
