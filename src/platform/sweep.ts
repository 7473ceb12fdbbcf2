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

/**
 * Looks for the work of several tasks at once. Such a task rests after twenty runs with nothing to do until it is named here, or woken, or
 * has rested for half a minute.
 */
export type Lookout = {
  names: readonly string[]
  /** How long between two looks; `restMs` once a minute has brought nothing. */
  everyMs: number
  restMs: number
  /** The tasks that may have something to do. */
  look(): Promise<readonly string[]>
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
type Watched = { log: SweepLog; clock: Clock; ran?: (run: SweepRun) => void; lookout?: Lookout | null }

// After an error the same sweep waits this long, so that a database that is away is not hammered.
const AFTER_ERROR_MS = 1000
const RESTS_AFTER_RUNS = 20
// Below the minute after which a task that does not run is behind.
const LONGEST_REST_MS = 30_000
const QUIET_AFTER_MS = 60_000
const LOOKOUT = 'look for work'

/**
 * Loops over the sweeps until stopped, each on its own: a run that handled something is followed by another at once.
 * A killed process loses nothing, for whatever was due is still due.
 */
export function startWorker(
  sweeps: readonly Sweep[],
  { log, clock, ran = () => {}, lookout = null }: Watched,
): Worker {
  const lastRunMs = new Map<string, number>()
  const { pause, wake, wakeAll } = pauses()
  const nudged = new Set<string>()
  const resting = new Set<string>()
  let stopping = false

  async function loop(sweep: Sweep): Promise<void> {
    let idleRuns = 0
    while (!stopping) {
      nudged.delete(sweep.name)
      const handled = await runLogged(sweep, { log, clock, ran })
      if (handled !== null) lastRunMs.set(sweep.name, clock.nowMs())
      idleRuns = handled === 0 ? idleRuns + 1 : 0
      const rests = idleRuns >= RESTS_AFTER_RUNS && lookout?.names.includes(sweep.name) === true
      const waitMs = rests ? LONGEST_REST_MS : waitAfter(sweep, handled, idleRuns)
      if (waitMs === 0 || stopping || nudged.has(sweep.name)) continue
      if (rests) resting.add(sweep.name)
      await pause(sweep.name, waitMs)
      resting.delete(sweep.name)
    }
  }

  async function watch({ everyMs, restMs, look }: Lookout): Promise<void> {
    let foundAt = performance.now()
    while (!stopping) {
      await pause(LOOKOUT, performance.now() - foundAt < QUIET_AFTER_MS ? everyMs : restMs)
      if (stopping || resting.size === 0) continue
      const due = await look().catch((error) => {
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

/** Waits that have a name and can be cut short by it. */
function pauses() {
  const wakers = new Map<string, () => void>()
  return {
    pause: (name: string, ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(end, ms)
        function end() {
          clearTimeout(timer)
          wakers.delete(name)
          resolve()
        }
        wakers.set(name, end)
      }),
    wake: (name: string): void => wakers.get(name)?.(),
    wakeAll: (): void => {
      for (const end of [...wakers.values()]) end()
    },
  }
}

/** How much it handled; null after an error. */
async function runLogged(
  sweep: Sweep,
  { log, clock, ran }: Omit<Required<Watched>, 'lookout'>,
): Promise<number | null> {
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
