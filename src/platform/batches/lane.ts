import type { App } from '../../program/app.ts'
import type { Batch } from './batch.ts'

/** The outside of a lane: a stop waits until it is idle; the metrics show how much waits and, for batches, each run. */
export type Lane = Pick<Batch<unknown, unknown>, 'waiting' | 'idle'> & Partial<Pick<Batch<unknown, unknown>, 'onRun'>>

/** Returns the lane of an operation in this cell: its work waits there, in this process, for other work of its kind. */
type LaneOfCell<One extends Lane> = (app: App) => One

type DeclaredLane = { name: string; rate: string | null; in: LaneOfCell<Lane>; expectedMs: EstimateMs | null }
type EstimateMs = (app: App) => number

const declaredLanes: DeclaredLane[] = []

/** Declares the lane of an operation, under the name that the metrics show. Every cell has its own. */
export function defineLane<One extends Lane>(name: string, open: (app: App) => One): LaneOfCell<One> {
  const lane = oncePerCell(open)
  declaredLanes.push({ name, rate: null, in: lane, expectedMs: null })
  return lane
}

/**
 * Declares the lane behind the endpoint of this rate limit. Requests are refused on arrival when they would wait too long in it, or when
 * the work that follows them is too far behind (`behindMs`).
 */
export function defineRequestLane<One extends Lane & Pick<Batch<unknown, unknown>, 'expectedMs'>>(
  name: string,
  rate: keyof App['exactWindows'],
  open: (app: App) => One,
  behindMs: EstimateMs = () => 0,
): LaneOfCell<One> {
  const lane = oncePerCell(open)
  const expectedMs: EstimateMs = (app) => Math.max(lane(app).expectedMs(), behindMs(app))
  declaredLanes.push({ name, rate, in: lane, expectedMs })
  return lane
}

/** Makes a getter of a thing that each cell of this process has once; it is opened at the first call. */
export function oncePerCell<One>(open: (app: App) => One): (app: App) => One {
  const opened = new WeakMap<App, One>()
  return (app) => {
    const existing = opened.get(app)
    if (existing !== undefined) return existing
    const made = open(app)
    opened.set(app, made)
    return made
  }
}

/** Lists every declared lane, as it is in this cell. */
export const listLanes = (app: App): { name: string; lane: Lane }[] =>
  declaredLanes.map(({ name, in: lane }) => ({ name, lane: lane(app) }))

/** Estimates how long a request of this rate limit would wait in its lane, in ms; null when it has none. */
export function estimateLaneWaitMs(app: App, rate: string): number | null {
  const lane = declaredLanes.find((declared) => declared.rate === rate)
  return lane?.expectedMs?.(app) ?? null
}

/**
 * Resolves when no lane of this cell has work waiting or under way. Work of one lane may add work to another, so all are checked again
 * until none has any. The rate windows come last: they return what lanes counted in advance.
 */
export async function waitUntilIdle(app: App): Promise<void> {
  const lanes = listLanes(app).map(({ lane }) => lane)
  const windows = Object.values(app.exactWindows)
  do {
    await Promise.all(lanes.map((lane) => lane.idle()))
    await Promise.all(windows.map((window) => window.idle()))
  } while (lanes.some((lane) => lane.waiting() > 0))
}
