import { availableParallelism } from 'node:os'
import {
  countBatch,
  emptyLane,
  expectedMs,
  isFull,
  type Lane,
  MAX_APART,
  putInto,
  takeExpired,
  takeFairly,
  type Waiting,
} from './batch-lane.ts'
import { crashPoint } from './crash-point.ts'
import { DatabaseAway, isLockTimeout } from './db/errors.ts'
import { groupBy } from './group-by.ts'
import { unavailable } from './refusal.ts'

/** The result of one item of a batch: its value, or its own error. */
export type Outcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown }

export const done = <Result>(value: Result): Outcome<Result> => ({ ok: true, value })
export const failed = (error: unknown): Outcome<never> => ({ ok: false, error })

/**
 * How a run's transaction waits (db/database.ts): with items of several keys only briefly for locks; with items of one key
 * as usual.
 */
export type RunTurn = { hurry: true } | { hurry: false; of: number }

export type BatchOptions<Item, Result> = {
  /**
   * Runs a batch in one transaction and returns the outcomes in the order of the items. When it throws, the items run one
   * by one.
   */
  run(items: readonly Item[], turn: RunTurn): Promise<Outcome<Result>[]>
  /** Items of one key always use the same lane, so that two batches never lock one merchant's rows at once. */
  laneOf(item: Item): number
  lanes?: number
  /** The largest batch. */
  max?: number
  /**
   * false: never refuse an item because many wait or because it waited long. For facts that must be recorded; the caller
   * bounds their number.
   */
  refuses?: boolean
}

export type Batch<Item, Result> = {
  add(item: Item): Promise<Result>
  /** Items waiting, not yet on their way. */
  waiting(): number
  /** How long an item of this key (`laneOf`) added now would probably wait, in ms. */
  expectedMs(key: number): number
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
  /** Sizes of the batches run since the last call, for the metrics. */
  onRun(listener: (size: number, ms: number) => void): void
}

const MAX_ITEMS = 200
// At least two, so that one merchant's locked row never stops everybody. Otherwise half of the cores: the database needs
// the rest, and fewer lanes make larger, cheaper batches.
const LANES = Math.max(2, Math.floor(availableParallelism() / 2))
// Items that run one by one after a failed batch get this much time together; the rest is answered 503 and can be repeated.
const ONE_BY_ONE_MS = 3000
/** Items of a key whose rows are locked by somebody else. They wait here so that the lane can serve the others. */
type Apart<Item, Result> = { waiting: Waiting<Item, Result>[]; running: Promise<void> }

/** Everything that belongs to one `batch()`. */
type Group<Item, Result> = {
  run(items: readonly Item[], turn: RunTurn): Promise<Outcome<Result>[]>
  max: number
  refuses: boolean
  lanes: Lane<Item, Result>[]
  apart: Map<number, Apart<Item, Result>>
  listeners: ((size: number, ms: number) => void)[]
}

/**
 * Group commit (ledger.md section 7). A lane with nothing under way runs at once with what it has; while it runs, arrivals
 * collect; when it ends, all that waited (up to `max`) is the next batch. There is no timer: an idle system commits
 * immediately, a loaded one commits fifty items for the price of one. When a batch throws because of one of its items, the
 * items run one by one, so that only the bad one fails; when the database is away, all of them fail. When a row is locked,
 * each key runs separately, and the key whose row it is waits apart from the lane, for longer.
 */
export function batch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { run, laneOf, lanes: laneCount = LANES, max = MAX_ITEMS, refuses = true } = options
  const lanes = Array.from({ length: laneCount }, emptyLane<Item, Result>)
  const apart: Group<Item, Result>['apart'] = new Map()
  const group: Group<Item, Result> = { run, max, refuses, lanes, apart, listeners: [] }
  return {
    add(item) {
      const key = laneOf(item)
      const lane = lanes[Math.abs(key) % laneCount] as Lane<Item, Result>
      const own = apart.get(key)
      if (refuses && (own ? own.waiting.length >= MAX_APART : isFull(lane, key, max)))
        return Promise.reject(unavailable())
      const promise = new Promise<Result>((resolve, reject) => {
        const entry = { item, key, since: performance.now(), resolve, reject }
        if (own) return void own.waiting.push(entry)
        putInto(lane, entry)
      })
      if (!own) lane.running ??= drain(group, lane)
      return promise
    },
    waiting: () => [...lanes, ...apart.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    expectedMs: (key) => expectedMs(lanes[Math.abs(key) % laneCount] as Lane<Item, Result>, max),
    idle: async () => {
      while (apart.size > 0 || lanes.some((lane) => lane.running !== null))
        await Promise.all([...lanes, ...apart.values()].map(({ running }) => running))
    },
    onRun: (listener) => {
      group.listeners.push(listener)
    },
  }
}

async function drain<Item, Result>(group: Group<Item, Result>, lane: Lane<Item, Result>): Promise<void> {
  // One turn of the event loop, so that requests that arrived in the same read of the sockets share a batch.
  await new Promise((resolve) => setImmediate(resolve))
  while (lane.waiting.length > 0) {
    const items = inTime(group, takeFairly(lane, group.max)).filter((entry) => !joinApart(group, entry))
    if (items.length === 0) continue
    lane.begunAt = performance.now()
    const ms = await timed(group, items.length, () => settleHurried(group, items))
    lane.begunAt = null
    countBatch(lane, ms)
  }
  lane.running = null
}

/** Items that are within their deadline. The others are answered 503 and nothing is begun for them. */
function inTime<Item, Result>(
  { refuses }: Group<Item, Result>,
  items: readonly Waiting<Item, Result>[],
): readonly Waiting<Item, Result>[] {
  if (!refuses) return items
  const { expired, left } = takeExpired(items)
  for (const { reject } of expired) reject(unavailable())
  return left
}

async function timed<Item, Result>(
  { listeners }: Group<Item, Result>,
  count: number,
  work: () => Promise<void>,
): Promise<number> {
  const started = performance.now()
  crashPoint('batch.collected')
  await work()
  const ms = performance.now() - started
  for (const listener of listeners) listener(count, ms)
  return ms
}

async function settleHurried<Item, Result>(
  group: Group<Item, Result>,
  items: readonly Waiting<Item, Result>[],
): Promise<void> {
  const again = async (some: readonly Waiting<Item, Result>[]) => {
    const left = some.filter((entry) => !joinApart(group, entry))
    if (left.length > 0) await settleHurried(group, left)
  }
  const error = await settle(items, { run: group.run, turn: { hurry: true }, again })
  if (error === null) return
  const byKey = [...groupBy(items, ({ key }) => key).values()]
  for (const some of byKey)
    if (byKey.length > 1) await settleHurried(group, some)
    else goApart(group, some)
}

function joinApart<Item, Result>({ apart }: Group<Item, Result>, entry: Waiting<Item, Result>): boolean {
  const own = apart.get(entry.key)
  own?.waiting.push(entry)
  return own !== undefined
}

function goApart<Item, Result>(group: Group<Item, Result>, items: readonly Waiting<Item, Result>[]): void {
  const key = items[0]?.key as number // They are some, and all of one key.
  const own: Apart<Item, Result> = { waiting: [...items], running: Promise.resolve() }
  group.apart.set(key, own)
  own.running = drainApart(group, key, own)
}

async function drainApart<Item, Result>(
  group: Group<Item, Result>,
  key: number,
  own: Apart<Item, Result>,
): Promise<void> {
  const patient: RunTurn = { hurry: false, of: key }
  const settleAlone = async (items: readonly Waiting<Item, Result>[]): Promise<void> => {
    await settle(items, { run: group.run, turn: patient, again: settleAlone })
  }
  while (own.waiting.length > 0) {
    const items = inTime(group, own.waiting.splice(0, group.max))
    if (items.length === 0) continue
    await timed(group, items.length, () => settleAlone(items))
  }
  group.apart.delete(key)
}

type Settling<Item, Result> = {
  run(items: readonly Item[], turn: RunTurn): Promise<Outcome<Result>[]>
  turn: RunTurn
  /** How the items of a failed batch are run again. */
  again(waiting: readonly Waiting<Item, Result>[]): Promise<void>
}

/** Answers all items. When the run waited only briefly and met a lock, none is answered and the error is returned. */
async function settle<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  { run, turn, again }: Settling<Item, Result>,
): Promise<unknown> {
  const items = waiting.map(({ item }) => item)
  try {
    const outcomes = await run(items, turn)
    for (const [index, entry] of waiting.entries()) answer(entry, outcomes[index])
    return null
  } catch (error) {
    if (turn.hurry && isLockTimeout(error)) return error
    if (waiting.length === 1 || error instanceof DatabaseAway) {
      for (const { reject } of waiting) reject(error)
      return null
    }
    const started = performance.now()
    for (const entry of waiting)
      if (performance.now() - started < ONE_BY_ONE_MS) await again([entry])
      else entry.reject(unavailable())
    return null
  }
}

function answer<Item, Result>(entry: Waiting<Item, Result>, outcome: Outcome<Result> | undefined): void {
  if (outcome === undefined) entry.reject(new Error('a batch answered fewer items than it was given'))
  else if (outcome.ok) entry.resolve(outcome.value)
  else entry.reject(outcome.error)
}
