import type { Clock } from './clock.ts'
import { count } from './measures.ts'

/** A background task: work that has a due time in a row of its own. `runOnce` handles what is due now and says how many. */
export type Sweep = {
  name: string
  /** How long to wait after a run that left nothing to do. */
  everyMs: number
  /** How long to wait instead when the last twenty runs had nothing to do. Default `everyMs`. */
  restMs?: number
  /** A run that handled this many has probably left some, and is followed by another at once. Default 1. */
  full?: number
  runOnce(): Promise<number>
}

/** One run of a background task that has ended. `handled` is null where it failed, and then `error` says how. */
export type SweepRun = {
  sweep: Sweep
  startedAt: Date
  ms: number
  handled: number | null
  error: unknown
}

export type SweepLog = {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type Worker = {
  /** Wakes one sweep now: something it waits for has just been committed here. */
  nudge(name: string): void
  /** Stops claiming; resolves when what is under way has ended. */
  stop(): Promise<void>
  /** When each sweep last finished a run without an error, in ms of the clock given. */
  lastRunMs: ReadonlyMap<string, number>
}

/** `ran`: hears of every run. */
type Watched = { log: SweepLog; clock: Clock; ran?: (run: SweepRun) => void }

// After an error the same sweep waits this long, so that a database that is away is not hammered.
const AFTER_ERROR_MS = 1000
const RESTS_AFTER_RUNS = 20

/**
 * Loops over the sweeps until stopped, each on its own: a run that handled something is followed by another at once.
 * A killed process loses nothing, for whatever was due is still due.
 */
export function startWorker(sweeps: readonly Sweep[], { log, clock, ran = () => {} }: Watched): Worker {
  const lastRunMs = new Map<string, number>()
  const wakers = new Map<string, () => void>()
  const nudged = new Set<string>()
  let stopping = false

  async function loop(sweep: Sweep): Promise<void> {
    let idleRuns = 0
    while (!stopping) {
      nudged.delete(sweep.name)
      const handled = await runLogged(sweep, { log, clock, ran })
      if (handled !== null) lastRunMs.set(sweep.name, clock.nowMs())
      idleRuns = handled === 0 ? idleRuns + 1 : 0
      const waitMs = waitAfter(sweep, handled, idleRuns)
      if (waitMs > 0 && !stopping && !nudged.has(sweep.name)) await pause(sweep.name, waitMs)
    }
  }

  function pause(name: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, ms)
      function wake() {
        clearTimeout(timer)
        wakers.delete(name)
        resolve()
      }
      wakers.set(name, wake)
    })
  }

  const loops = sweeps.map(loop)
  return {
    lastRunMs,
    nudge: (name) => {
      nudged.add(name)
      wakers.get(name)?.()
    },
    stop: async () => {
      stopping = true
      for (const wake of [...wakers.values()]) wake()
      await Promise.all(loops)
    },
  }
}

/** How much it handled; null after an error. */
async function runLogged(sweep: Sweep, { log, clock, ran }: Required<Watched>): Promise<number | null> {
  const started = performance.now()
  const startedAt = clock.now()
  const ended = (handled: number | null, error: unknown = null) =>
    ran({ sweep, startedAt, ms: performance.now() - started, handled, error })
  try {
    const handled = await sweep.runOnce()
    ended(handled)
    if (handled > 0)
      log.info({ sweep: sweep.name, done: handled, ms: Math.round(performance.now() - started) }, 'sweep')
    return handled
  } catch (error) {
    log.error({ sweep: sweep.name, err: error }, 'sweep failed')
    count('sweep_failed_total', sweep.name)
    ended(null, error)
    return null
  }
}

function waitAfter({ everyMs, restMs = everyMs, full = 1 }: Sweep, handled: number | null, idleRuns: number) {
  if (handled === null) return AFTER_ERROR_MS
  if (handled >= full) return 0
  return idleRuns < RESTS_AFTER_RUNS ? everyMs : restMs
}
