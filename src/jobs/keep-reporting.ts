import type { App, Gateway } from '../app.ts'
import { loggedError } from '../platform/error-log.ts'
import type { SweepRun } from '../platform/sweep.ts'
import { heartOf, type ProcessRole } from './process.ts'
import { runReporter } from './report-runs.ts'
import { claimAskedRuns, endAskedRun } from './requested-runs.ts'

/** What a process tells of itself and its tasks, and what it is asked to run. */
export type Reporting = {
  /** To be called again and again, every few seconds. */
  beat(): Promise<void>
  /** Hears of every run of a task. */
  ran(app: App, run: SweepRun): void
  /** The last words of a process that stops. */
  stop(): Promise<void>
}

const MOST_WORDS = 300

/** `wake`: makes the worker of this process run a task now. */
export function reporting(
  gateway: Gateway,
  { role, wake }: { role: ProcessRole; wake: (cell: string, sweep: Parameters<App['nudge']>[0]) => void },
): Reporting {
  const heart = heartOf(gateway, role)
  const runs = runReporter(gateway)
  const asked = new Map<string, { id: number; claimedAt: number }>()
  const ended: { id: number; at: Date; handled: number | null; error: string | null }[] = []

  async function takeUp(): Promise<void> {
    for (const { id, cell, sweep } of await claimAskedRuns(gateway)) {
      asked.set(`${cell} ${sweep}`, { id, claimedAt: gateway.clock.nowMs() })
      wake(cell, sweep)
    }
  }

  async function tellEnded(): Promise<void> {
    for (let one = ended[0]; one !== undefined; one = ended[0]) {
      await endAskedRun(gateway, one)
      ended.shift()
    }
  }

  return {
    ran(app, run) {
      runs.noted(app, run)
      const key = `${app.cell} ${run.sweep.name}`
      const wanted = asked.get(key)
      // A run that was under way when the request was claimed may have begun before it was made.
      if (wanted === undefined || run.startedAt.getTime() < wanted.claimedAt) return
      asked.delete(key)
      const error = run.handled === null ? loggedError(run.error).message.slice(0, MOST_WORDS) : null
      ended.push({ id: wanted.id, at: app.clock.now(), handled: run.handled, error })
    },
    async beat() {
      await heart.beat()
      if (role === 'web') return
      await runs.write()
      await tellEnded()
      await takeUp()
    },
    async stop() {
      await runs.write().catch(() => {})
      await tellEnded().catch(() => {})
      await heart.gone().catch(() => {})
    },
  }
}
