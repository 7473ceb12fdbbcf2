import { count } from '../log/measures.ts'
import type { Clock } from '../time/clock.ts'

/** A background task, whose work has due times in rows. `runOnce` handles what is due now and returns how many rows that were. */
export type Sweep = {
  name: string
  /** How long to wait after a run that handled everything that was due. */
  everyMs: number
  /** How long to wait instead when the last twenty runs had nothing to do. Default `everyMs`. */
  restMs?: number
  /** A run that handled this many rows has probably left some, so the next run follows at once. Default 1. */
  full?: number
  runOnce(): Promise<number>
}

/** One finished run of a background task. `handled` is null when it failed, with `error`. */
export type SweepRun = {
  sweep: Sweep
  startedAt: Date
  ms: number
  handled: number | null
  error: unknown
}

type SweepLog = {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Checks in one go which of several tasks have work. Such a task rests after twenty runs with nothing to do, until this check names it,
 * it is
 * woken, or it has rested for half a minute.
 */
export type DueWorkCheck = {
  names: readonly string[]
  /** How long to wait between two checks; `restMs` once they have found nothing for a minute. */
  everyMs: number
  restMs: number
  /** Returns the names of tasks that may have work. */
  findDue(): Promise<readonly string[]>
}

export type SweepWorker = {
  /** Wakes one sweep now, because this process has just committed work for it. */
  nudge(name: string): void
  /** Starts no further run; resolves when the runs under way have ended. */
  stop(): Promise<void>
  /** When each sweep last finished a run without an error, in ms of the worker's clock. */
  lastRunMs: ReadonlyMap<string, number>
}

/** `onRun`: called after every run. */
type WorkerOptions = {
  log: SweepLog
  clock: Clock
  onRun?: (run: SweepRun) => void
  lookout?: DueWorkCheck | null
}

// After an error the same sweep waits this long, so that a database that is away is not hammered.
const AFTER_ERROR_MS = 1000
const RESTS_AFTER_RUNS = 20
// Shorter than the minute after which a task that does not run counts as behind.
const MAX_REST_MS = 30_000
const QUIET_AFTER_MS = 60_000
const LOOKOUT = 'look for work'

/**
 * Runs each sweep in a loop of its own until stopped: a full run is followed by another at once. A killed process loses nothing, because
 * what was due is still due.
 */
export function startWorker(
  sweeps: readonly Sweep[],
  { log, clock, onRun = () => {}, lookout = null }: WorkerOptions,
): SweepWorker {
  const lastRunMs = new Map<string, number>()
  const { pause, wake, wakeAll } = newPauses()
  const nudged = new Set<string>()
  const resting = new Set<string>()
  let stopping = false

  async function loop(sweep: Sweep): Promise<void> {
    let idleRuns = 0
    while (!stopping) {
      nudged.delete(sweep.name)
      const handled = await runLogged(sweep, { log, clock, onRun })
      if (handled !== null) lastRunMs.set(sweep.name, clock.nowMs())
      idleRuns = handled === 0 ? idleRuns + 1 : 0
      const rests = idleRuns >= RESTS_AFTER_RUNS && lookout?.names.includes(sweep.name) === true
      const waitMs = rests ? MAX_REST_MS : chooseWaitMs(sweep, handled, idleRuns)
      if (waitMs === 0 || stopping || nudged.has(sweep.name)) continue
      if (rests) resting.add(sweep.name)
      await pause(sweep.name, waitMs)
      resting.delete(sweep.name)
    }
  }

  async function watch({ everyMs, restMs, findDue }: DueWorkCheck): Promise<void> {
    let foundAt = performance.now()
    while (!stopping) {
      await pause(LOOKOUT, performance.now() - foundAt < QUIET_AFTER_MS ? everyMs : restMs)
      if (stopping || resting.size === 0) continue
      const due = await findDue().catch((error) => {
        log.error({ sweep: LOOKOUT, err: error }, 'sweep failed')
        return null
      })
      if (due === null) await pause(LOOKOUT, AFTER_ERROR_MS)
      const woken = (due ?? []).filter((name) => resting.has(name))
      if (woken.length > 0) foundAt = performance.now()
      for (const name of woken) wake(name)
    }
  }

  const loops = [...sweeps.map(loop), ...(lookout === null ? [] : [watch(lookout)])]
  return {
    lastRunMs,
    nudge: (name) => {
      nudged.add(name)
      wake(name)
    },
    stop: async () => {
      stopping = true
      wakeAll()
      await Promise.all(loops)
    },
  }
}

/** Makes pauses that have a name by which they can be cut short. */
function newPauses() {
  const wakers = new Map<string, () => void>()
  return {
    pause: (name: string, ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(finish, ms)
        function finish() {
          clearTimeout(timer)
          wakers.delete(name)
          resolve()
        }
        wakers.set(name, finish)
      }),
    wake: (name: string): void => wakers.get(name)?.(),
    wakeAll: (): void => {
      for (const finish of [...wakers.values()]) finish()
    },
  }
}

/** Runs a sweep once, logs and reports the run. Returns how many rows it handled; null after an error. */
async function runLogged(
  sweep: Sweep,
  { log, clock, onRun }: Omit<Required<WorkerOptions>, 'lookout'>,
): Promise<number | null> {
  const started = performance.now()
  const startedAt = clock.now()
  const report = (handled: number | null, error: unknown = null) =>
    onRun({ sweep, startedAt, ms: performance.now() - started, handled, error })
  try {
    const handled = await sweep.runOnce()
    report(handled)
    if (handled > 0)
      log.info({ sweep: sweep.name, done: handled, ms: Math.round(performance.now() - started) }, 'sweep')
    return handled
  } catch (error) {
    log.error({ sweep: sweep.name, err: error }, 'sweep failed')
    count('sweep_failed_total', sweep.name)
    report(null, error)
    return null
  }
}

function chooseWaitMs({ everyMs, restMs = everyMs, full = 1 }: Sweep, handled: number | null, idleRuns: number) {
  if (handled === null) return AFTER_ERROR_MS
  if (handled >= full) return 0
  return idleRuns < RESTS_AFTER_RUNS ? everyMs : restMs
}
