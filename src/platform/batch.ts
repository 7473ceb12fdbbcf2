import { availableParallelism } from 'node:os'
import { crashPoint } from './crash-point.ts'
import { DatabaseAway } from './db/errors.ts'
import { unavailable } from './refusal.ts'

/** What became of one item of a batch: its value, or the error that is its own and nobody else's. */
export type Outcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown }

export const done = <Result>(value: Result): Outcome<Result> => ({ ok: true, value })
export const failed = (error: unknown): Outcome<never> => ({ ok: false, error })

export type BatchOptions<Item, Result> = {
  /** Runs a batch in one transaction and answers each item in the order given. May throw: then see below. */
  run(items: readonly Item[]): Promise<Outcome<Result>[]>
  /** Items of one key always travel in the same lane, so that two batches never fight over one merchant's rows. */
  laneOf(item: Item): number
  lanes?: number
  /** The largest batch. */
  max?: number
}

export type Batch<Item, Result> = {
  add(item: Item): Promise<Result>
  /** Items waiting, not yet on their way. */
  waiting(): number
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
  /** Sizes of the batches run since the last call, for the metrics. */
  onRun(listener: (size: number, ms: number) => void): void
}

const MAX_ITEMS = 200
// At least two, so that one merchant's locked row never stops everybody; else half the cores: the database needs the others,
// and fewer lanes make larger, cheaper batches.
const LANES = Math.max(2, Math.floor(availableParallelism() / 2))
// Items run one by one after a failed batch wait no longer than this together; the rest hears 503 and comes again.
const ONE_BY_ONE_MS = 3000
// Beyond this a lane is further behind than a caller would wait; the caller hears 503 at once instead.
const MAX_WAITING = 2000

type Waiting<Item, Result> = {
  item: Item
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}
type Lane<Item, Result> = { waiting: Waiting<Item, Result>[]; running: Promise<void> | null }

/**
 * Group commit (ledger.md section 7). A lane with nothing under way runs at once with what it has; while it runs,
 * arrivals collect; when it ends, all that waited (up to `max`) is the next batch. No timer, no window: an idle
 * system commits immediately, a loaded one commits fifty items for the price of one.
 * When a batch throws for a reason that lies in one of its items, the items are run one by one, so that a bad one
 * never fails its neighbours; when the database is away, all of them hear so.
 */
export function batch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { run, laneOf, lanes: laneCount = LANES, max = MAX_ITEMS } = options
  const lanes: Lane<Item, Result>[] = Array.from({ length: laneCount }, () => ({
    waiting: [],
    running: null,
  }))
  const listeners: ((size: number, ms: number) => void)[] = []

  async function drain(lane: Lane<Item, Result>): Promise<void> {
    // One turn of the event loop: what has arrived in the same read of the sockets travels together.
    await new Promise((resolve) => setImmediate(resolve))
    while (lane.waiting.length > 0) {
      const items = lane.waiting.splice(0, max)
      const started = performance.now()
      crashPoint('batch.collected')
      await settle(items, run)
      for (const listener of listeners) listener(items.length, performance.now() - started)
    }
    lane.running = null
  }

  return {
    add(item) {
      const lane = lanes[Math.abs(laneOf(item)) % laneCount] as Lane<Item, Result>
      if (lane.waiting.length >= MAX_WAITING) return Promise.reject(unavailable())
      const promise = new Promise<Result>((resolve, reject) => lane.waiting.push({ item, resolve, reject }))
      lane.running ??= drain(lane)
      return promise
    },
    waiting: () => lanes.reduce((sum, lane) => sum + lane.waiting.length, 0),
    idle: async () => {
      while (lanes.some((lane) => lane.running !== null)) await Promise.all(lanes.map((lane) => lane.running))
    },
    onRun: (listener) => {
      listeners.push(listener)
    },
  }
}

async function settle<Item, Result>(
  waiting: Waiting<Item, Result>[],
  run: (items: readonly Item[]) => Promise<Outcome<Result>[]>,
): Promise<void> {
  try {
    const outcomes = await run(waiting.map(({ item }) => item))
    for (const [index, entry] of waiting.entries()) answer(entry, outcomes[index])
  } catch (error) {
    if (waiting.length === 1 || error instanceof DatabaseAway) {
      for (const { reject } of waiting) reject(error)
      return
    }
    const started = performance.now()
    for (const entry of waiting)
      if (performance.now() - started < ONE_BY_ONE_MS) await settle([entry], run)
      else entry.reject(unavailable())
  }
}

function answer<Item, Result>(entry: Waiting<Item, Result>, outcome: Outcome<Result> | undefined): void {
  if (outcome === undefined) entry.reject(new Error('a batch answered fewer items than it was given'))
  else if (outcome.ok) entry.resolve(outcome.value)
  else entry.reject(outcome.error)
}

/** Several batches as one, each item in that of its own kind: for items that must never share a transaction. */
export function batchByKind<Item, Result, Kind extends string>(
  batches: Readonly<Record<Kind, Batch<Item, Result>>>,
  kindOf: (item: Item) => Kind,
): Batch<Item, Result> {
  const all = Object.values(batches) as Batch<Item, Result>[]
  return {
    add: (item) => batches[kindOf(item)].add(item),
    waiting: () => all.reduce((sum, one) => sum + one.waiting(), 0),
    idle: async () => {
      await Promise.all(all.map((one) => one.idle()))
    },
    onRun: (listener) => {
      for (const one of all) one.onRun(listener)
    },
  }
}

/**
 * Runs items of which no two in one run may be about the same thing: of several with one name the first goes, the others
 * follow in a run of their own. Answers each in the order given.
 */
export async function runApart<Item, Result>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<Outcome<Result>[]>,
): Promise<Outcome<Result>[]> {
  const firsts = new Map<string, Item>()
  for (const item of items) if (!firsts.has(nameOf(item))) firsts.set(nameOf(item), item)
  const first = [...firsts.values()]
  const outcomes = new Map((await run(first)).map((outcome, index) => [first[index] as Item, outcome]))
  const repeats = items.filter((item) => !outcomes.has(item))
  const later = repeats.length === 0 ? [] : await runApart(repeats, nameOf, run)
  for (const [index, item] of repeats.entries()) outcomes.set(item, later[index] as Outcome<Result>)
  return items.map((item) => outcomes.get(item) as Outcome<Result>)
}
