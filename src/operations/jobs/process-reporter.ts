import type { SweepRun } from '../../platform/batches/sweep.ts'
import { toLoggedError } from '../../platform/log/error-log.ts'
import type { App, Gateway } from '../../program/app.ts'
import { makeHeart, type ProcessRole } from './process.ts'
import { makeRunReporter } from './report-runs.ts'
import { claimRequestedRuns, finishRequestedRun } from './requested-runs.ts'
import type { SweepName } from './sweep-name.ts'

/** Reports a process and the runs of its tasks, and takes up runs that staff requested. */
export type ProcessReporter = {
  /** Writes the report and takes up requests; to be called every few seconds. */
  beat(): Promise<void>
  /** Notes a run of a task. */
  ran(app: App, run: SweepRun): void
  /** Writes the last report of a process that stops. */
  stop(): Promise<void>
}

const MAX_ERROR_LENGTH = 300

/** `wake` makes the worker of this process run a task now. */
export function makeProcessReporter(
  gateway: Gateway,
  { role, wake }: { role: ProcessRole; wake: (cell: string, sweep: SweepName) => void },
): ProcessReporter {
  const heart = makeHeart(gateway, role)
  const runs = makeRunReporter(gateway)
  const requests = new Map<string, { id: number; claimedAt: number }>()
  const finished: { id: number; at: Date; handled: number | null; error: string | null }[] = []

  async function claimRequests(): Promise<void> {
    for (const { id, cell, sweep } of await claimRequestedRuns(gateway)) {
      requests.set(`${cell} ${sweep}`, { id, claimedAt: gateway.clock.nowMs() })
      wake(cell, sweep)
    }
  }

  async function storeFinished(): Promise<void> {
    for (let run = finished[0]; run !== undefined; run = finished[0]) {
      await finishRequestedRun(gateway, run)
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
      const error = run.handled === null ? toLoggedError(run.error).message.slice(0, MAX_ERROR_LENGTH) : null
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
