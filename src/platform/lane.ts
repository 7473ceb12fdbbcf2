import type { App } from '../app.ts'
import type { Batch } from './batch.ts'

/** The outside of a lane: a stop waits until it is idle; the metrics show how much waits and, for batches, each run. */
export type Lane = Pick<Batch<unknown, unknown>, 'waiting' | 'idle'> &
  Partial<Pick<Batch<unknown, unknown>, 'onRun'>>

/** Returns the lane of an operation in this cell: its work waits there, in this process, for other work of its kind. */
type LaneIn<One extends Lane> = (app: App) => One

type Declared = { name: string; rate: string | null; in: LaneIn<Lane>; expectedMs: ExpectedMs | null }
type ExpectedMs = (app: App) => number

const declared: Declared[] = []

/** Declares the lane of an operation, under the name that the metrics show. Every cell has its own. */
export function defineLane<One extends Lane>(name: string, open: (app: App) => One): LaneIn<One> {
  const lane = oneInEachCell(open)
  declared.push({ name, rate: null, in: lane, expectedMs: null })
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
  behindMs: ExpectedMs = () => 0,
): LaneIn<One> {
  const lane = oneInEachCell(open)
  const expectedMs: ExpectedMs = (app) => Math.max(lane(app).expectedMs(), behindMs(app))
  declared.push({ name, rate, in: lane, expectedMs })
  return lane
}

/** Makes a getter of a thing that each cell of this process has once; it is opened at the first call. */
export function oneInEachCell<One>(open: (app: App) => One): (app: App) => One {
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
export const lanesOf = (app: App): { name: string; lane: Lane }[] =>
  declared.map(({ name, in: lane }) => ({ name, lane: lane(app) }))

/** Estimates how long a request of this rate limit would wait in its lane, in ms; null when it has none. */
export function expectedInLane(app: App, rate: string): number | null {
  const lane = declared.find((declared) => declared.rate === rate)
  return lane?.expectedMs?.(app) ?? null
}

/**
 * Resolves when no lane of this cell has work waiting or under way. Work of one lane may add work to another, so all are checked again
 * until none has any. The rate windows come last: they return what lanes counted in advance.
 */
export async function untilIdle(app: App): Promise<void> {
  const lanes = lanesOf(app).map(({ lane }) => lane)
  const windows = Object.values(app.exactWindows)
  do {
    await Promise.all(lanes.map((lane) => lane.idle()))
    await Promise.all(windows.map((window) => window.idle()))
  } while (lanes.some((lane) => lane.waiting() > 0))
}
