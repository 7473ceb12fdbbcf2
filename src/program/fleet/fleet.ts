import type { Logger } from 'pino'
import { count } from '../../platform/log/measures.ts'
import type { Role } from '../serve.ts'
import type { Child, ChildEnd } from './child.ts'

/** The processes under a parent. */
export type Fleet = {
  /** Every process that has not ended. */
  children(): readonly Child[]
  /** Starts one, and the others when it works. Resolves with the address when all have had their turn. Throws FirstEnded. */
  start(): Promise<string>
  /** Replaces one process after the other: each new one works before an old one retires. Stops at one that does not come up. */
  roll(): Promise<void>
  /** Stops all. Resolves with whether each ended well. */
  stop(): Promise<boolean>
  kill(): void
}

/** The first process ended before it worked: what is wrong with it would be wrong with all. */
export class FirstEnded extends Error {
  readonly end: ChildEnd
  constructor(end: ChildEnd) {
    super('the first process ended before it worked')
    this.end = end
  }
}

type FleetOptions = {
  plan: readonly Role[]
  log: Logger
  start(role: Role): Child
  /** Called for each process that has ended. */
  ended(child: Child): void
}

/** The place of a process in the plan. `deaths`: how often in a row it has ended by itself soon after its start. */
type Place = {
  role: Role
  child: Child | null
  startedAt: number
  deaths: number
  restart?: NodeJS.Timeout | undefined
}

type FleetState = FleetOptions & {
  places: Place[]
  living: Set<Child>
  started: boolean
  stopping: boolean
  failed: boolean
}

// A process that reaches no database is not ready. As long as that the old one goes on, which does no better.
const READY_WITHIN_MS = 60_000
// Retiring (retire.ts) and then a stop that is cut short (run-process.ts).
const LEAVES_WITHIN_MS = 105_000
const STOPS_WITHIN_MS = 35_000
const LIVED_LONG_MS = 60_000
const RESTART_MS = { first: 100, second: 1000, max: 30_000 }

/** How long to wait before a process is started again that has ended by itself so often in a row. */
const restartDelayMs = (deaths: number): number =>
  deaths <= 1 ? RESTART_MS.first : Math.min(RESTART_MS.max, RESTART_MS.second * 2 ** (deaths - 2))

export function newFleet(options: FleetOptions): Fleet {
  const state: FleetState = {
    ...options,
    places: options.plan.map((role) => ({ role, child: null, startedAt: 0, deaths: 0 })),
    living: new Set(),
    started: false,
    stopping: false,
    failed: false,
  }
  return {
    children: () => [...state.living],
    start: () => startAll(state),
    roll: () => rollAll(state),
    stop: () => stopAll(state),
    kill: () => {
      for (const child of state.living) child.kill()
    },
  }
}

async function startAll(state: FleetState): Promise<string> {
  const [first, ...others] = state.places as [Place, ...Place[]]
  const child = fill(state, first)
  const url = await child.ready
  if (url === null) throw new FirstEnded(await child.ended)
  state.started = true
  await Promise.all(others.map((place) => (state.stopping ? null : fill(state, place).ready)))
  return url
}

/** Starts a process for this place. */
function fill(state: FleetState, place: Place, child = begin(state, place.role)): Child {
  clearTimeout(place.restart)
  place.child = child
  place.startedAt = performance.now()
  child.ended.then((end) => {
    if (place.child === child) replaceLater(state, place, end)
  })
  return child
}

function begin(state: FleetState, role: Role): Child {
  const child = state.start(role)
  state.living.add(child)
  child.ended.then(({ code }) => {
    state.living.delete(child)
    if (code !== 0) state.failed = true
    state.ended(child)
  })
  return child
}

/** A process has ended by itself. It is started again: soon, and ever later where that does not help. */
function replaceLater(state: FleetState, place: Place, end: ChildEnd): void {
  const { child } = place
  place.child = null
  if (state.stopping || !state.started) return
  const livedLong = child?.isReady() && performance.now() - place.startedAt > LIVED_LONG_MS
  place.deaths = livedLong ? 1 : place.deaths + 1
  const restartMs = restartDelayMs(place.deaths)
  count('process_deaths_total', place.role)
  const others = state.places.filter((other) => other.child?.isReady()).length
  state.log.error(
    { child: child?.name, child_pid: child?.pid, ...end, restart_ms: restartMs, ready: others },
    'a process has ended by itself',
  )
  place.restart = setTimeout(() => fill(state, place), restartMs)
}

async function rollAll(state: FleetState): Promise<void> {
  for (const place of state.places) {
    const next = begin(state, place.role)
    const isReady = await within(READY_WITHIN_MS, next.ready)
    if (state.stopping) return
    if (isReady === null) {
      next.kill()
      state.log.error(
        { child: next.name },
        'the restart was given up, because a new process did not come up; those of before go on',
      )
      return
    }
    const old = place.child
    place.deaths = 0
    fill(state, place, next)
    if (old === null) continue
    state.log.info({ child: old.name, instead: next.name }, 'a process is replaced')
    old.retire()
    if ((await within(LEAVES_WITHIN_MS, old.ended)) === null) old.kill()
    if (state.stopping) return
  }
  state.log.info('every process was replaced')
}

async function stopAll(state: FleetState): Promise<boolean> {
  state.stopping = true
  state.failed = false
  for (const { restart } of state.places) clearTimeout(restart)
  const leaving = [...state.living]
  for (const child of leaving) child.stop()
  if ((await within(STOPS_WITHIN_MS, Promise.all(leaving.map((child) => child.ended)))) !== null) return !state.failed
  for (const child of state.living) child.kill()
  return false
}

/** What a promise brings, or null after this time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let late: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    late = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(late)
  }
}
