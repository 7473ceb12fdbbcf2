import type { App } from '../app.ts'
import type { Batch } from './batch.ts'

/** What a lane shows to everybody: a stop waits until it is idle, the metrics show how much waits and, of batches, what was run. */
export type Lane = Pick<Batch<unknown, unknown>, 'waiting' | 'idle'> &
  Partial<Pick<Batch<unknown, unknown>, 'onRun'>>

/** The lane of this cell: work of one operation that waits in this process for other work of its kind. */
export type LaneIn<One extends Lane> = (app: App) => One

type Declared = { name: string; rate: string | null; in: LaneIn<Lane>; expectedMs: ExpectedMs | null }
type ExpectedMs = (app: App) => number

const declared: Declared[] = []

/** Declares the lane of an operation beside it, under the name that the metrics show. Every cell has one of its own. */
export function defineLane<One extends Lane>(name: string, open: (app: App) => One): LaneIn<One> {
  const lane = oneInEachCell(open)
  declared.push({ name, rate: null, in: lane, expectedMs: null })
  return lane
}

/**
 * The same for the lane behind the endpoint of this rate limit: requests are refused early when they would wait here too long, or when
 * what becomes of them later is this far behind (`behindMs`).
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

/** What each cell of this process has one of, opened when it is first asked for. */
export function oneInEachCell<One>(open: (app: App) => One): (app: App) => One {
  const opened = new WeakMap<App, One>()
  return (app) => {
    const found = opened.get(app)
    if (found !== undefined) return found
    const one = open(app)
    opened.set(app, one)
    return one
  }
}

/** Every lane that is declared, in this cell. */
export const lanesOf = (app: App): { name: string; lane: Lane }[] =>
  declared.map(({ name, in: lane }) => ({ name, lane: lane(app) }))

/** How long a request of this rate limit would wait in its lane, in ms; null when it has none. */
export function expectedInLane(app: App, rate: string): number | null {
  const found = declared.find((declared) => declared.rate === rate)
  return found?.expectedMs?.(app) ?? null
}

/**
 * Resolves when no lane of this cell has anything waiting or under way. Work of one lane may add work to another, so they
 * are checked in turn. The windows come last: they give back the places that lanes took in advance.
 */
export async function untilIdle(app: App): Promise<void> {
  const lanes = lanesOf(app).map(({ lane }) => lane)
  const windows = Object.values(app.exactWindows)
  do {
    await Promise.all(lanes.map((lane) => lane.idle()))
    await Promise.all(windows.map((window) => window.idle()))
  } while (lanes.some((lane) => lane.waiting() > 0))
}
