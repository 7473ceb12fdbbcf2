import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  behindMs,
  countBatch,
  emptyLane,
  expectedMs,
  gather,
  isFull,
  type Lane,
  lateAfterMs,
  MAX_APART,
  putInto,
  takeExpired,
  takeFairly,
  type Waiting,
} from './batch-lane.ts'
import { type Outcome, type RunTurn, settle, timed } from './batch-run.ts'
import { groupBy } from './group-by.ts'
import { unavailable } from './refusal.ts'
import { type Spent, spendOn, spentNow } from './spent.ts'

type BatchOptions<Item, Result> = {
  /** Runs a batch in one transaction and returns the outcomes in the order of the items. When it throws, the items run one by one. */
  run(items: readonly Item[], turn: RunTurn): Promise<Outcome<Result>[]>
  /** Two batches that run at once never have items of one key, so that they never lock one merchant's rows at once. */
  laneOf(item: Item): number
  /** The time account of the request that waits for this item. Default: that of the request that adds it, where known. */
  spentBy?: (item: Item) => Spent | null
  /** The largest batch. */
  max?: number
  /**
   * How long the first item of a batch waits for others, its time behind another batch included; ms, default 0. Called before each batch.
   */
  gatherMs?: () => number
  /** false: no batch runs beside another, however long that takes. */
  beside?: boolean
  /**
   * false: never refuse an item because many wait or because it waited long. For facts that must be recorded; the caller
   * bounds their number.
   */
  refuses?: boolean
}

export type Batch<Item, Result> = {
  add(item: Item): Promise<Result>
  /** How many items wait and are not in a batch yet. */
  waiting(): number
  /** How long an item added now would probably wait, in ms. `later`: how many are going to be added before it, default 0. */
  expectedMs(later?: number): number
  /** How long the batches of the waiting items and of `later` more would take, in ms; a fraction of a batch counts as such. */
  behindMs(later: number): number
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
  /** Calls the listener after each batch with its size and duration, for the metrics. */
  onRun(listener: (size: number, ms: number) => void): void
}

// Larger batches would keep the rows of their merchants locked for 100 ms and more.
const MAX_ITEMS = 400
/** Items of a key whose rows another transaction has locked. They wait here, so that the lane can serve the other keys. */
type Apart<Item, Result> = { waiting: Waiting<Item, Result>[]; running: Promise<void> }

/** The state of one batch queue. */
type Group<Item, Result> = {
  run(items: readonly Item[], turn: RunTurn): Promise<Outcome<Result>[]>
  max: number
  gatherMs: () => number
  refuses: boolean
  lane: Lane<Item, Result>
  /** Runs batches of the lane, one after the other; null when nothing waits. */
  main: Promise<void> | null
  /** Runs batches of other keys while the batch of `main` is late. */
  beside: Promise<void> | null
  isLate: boolean
  runsBeside: boolean
  /** The keys of the batches under way. */
  busy: Set<number>
  apart: Map<number, Apart<Item, Result>>
  listeners: ((size: number, ms: number) => void)[]
}

/**
 * Makes a group commit queue (ledger.md section 7). With nothing under way, the lane runs at once what it has; while a batch runs, arrivals
 * collect; when it ends, all items that waited (up to `max`) are the next batch. Without `gatherMs` no timer delays anything: an idle
 * system commits immediately, a loaded one commits fifty items for the price of one. One lane makes the largest batches, so a second
 * batch runs beside it only while the first takes much longer than usual, and only with other keys. When a batch throws because of one
 * of its items, the items run one by one, so that only the bad one fails; when the database is away, all of them fail. When a row is
 * locked, each key runs separately, and the key whose row it is waits apart from the lane, for longer.
 */
export function batch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { run, laneOf, spentBy = spentNow, max = MAX_ITEMS, gatherMs = () => 0 } = options
  const { beside = true, refuses = true } = options
  const [lane, apart] = [emptyLane<Item, Result>(), new Map<number, Apart<Item, Result>>()]
  const group: Group<Item, Result> = {
    ...{ run, max, gatherMs, refuses, lane, apart, runsBeside: beside },
    ...{ main: null, beside: null, isLate: false, busy: new Set(), listeners: [] },
  }
  return {
    add(item) {
      const key = laneOf(item)
      const own = apart.get(key)
      if (refuses && (own ? own.waiting.length >= MAX_APART : isFull(lane, key, max)))
        return Promise.reject(unavailable())
      const promise = new Promise<Result>((resolve, reject) => {
        const entry = { item, key, since: performance.now(), spent: spentBy(item), resolve, reject }
        if (own) return void own.waiting.push(entry)
        putInto(lane, entry)
      })
      if (!own) wake(group)
      return promise
    },
    waiting: () => [lane, ...apart.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    expectedMs: (later = 0) => expectedMs(lane, { max, later, refuses }),
    behindMs: (later) => behindMs(lane, { max, later }),
    idle: async () => {
      while (apart.size > 0 || group.main !== null || group.beside !== null)
        await Promise.all([group.main, group.beside, ...[...apart.values()].map(({ running }) => running)])
    },
    onRun: (listener) => {
      group.listeners.push(listener)
    },
  }
}

function wake<Item, Result>(group: Group<Item, Result>): void {
  // The time of a batch goes to the accounts of all its items, not to that of the request that started it.
  group.main ??= spendOn(null, () => drain(group))
  if (!group.isLate || group.beside !== null) return
  const items = take(group)
  if (items.length > 0) group.beside = spendOn(null, () => drainBeside(group, items))
}

async function drain<Item, Result>(group: Group<Item, Result>): Promise<void> {
  const { lane, gatherMs } = group
  // At least one turn of the event loop, so that requests that arrived in the same read of the sockets share a batch.
  await nextTurn()
  await gather(lane, gatherMs)
  for (let items = take(group); items.length > 0; items = take(group)) {
    lane.begunAt = performance.now()
    const late = group.runsBeside ? setTimeout(beLate, lateAfterMs(lane), group) : undefined
    const ms = await runNow(group, items)
    clearTimeout(late)
    group.isLate = false
    lane.begunAt = null
    countBatch(lane, ms)
    await gather(lane, gatherMs)
  }
  group.main = null
}

function beLate<Item, Result>(group: Group<Item, Result>): void {
  group.isLate = true
  if (group.lane.waiting.length > 0) wake(group)
}

/** Runs batches of other keys until the late batch has ended. */
async function drainBeside<Item, Result>(
  group: Group<Item, Result>,
  first: readonly Waiting<Item, Result>[],
): Promise<void> {
  for (let items = first; items.length > 0; items = group.isLate ? take(group) : [])
    await runNow(group, items)
  group.beside = null
  // The lane may have left items waiting because their keys were in this batch.
  if (group.lane.waiting.length > 0) group.main ??= drain(group)
}

async function runNow<Item, Result>(
  group: Group<Item, Result>,
  items: readonly Waiting<Item, Result>[],
): Promise<number> {
  for (const { key } of items) group.busy.add(key)
  const ms = await timed(group, items, () => settleHurried(group, items))
  for (const { key } of items) group.busy.delete(key)
  return ms
}

/** Takes the next batch, without keys of batches under way. Empty when no waiting item may run now. */
function take<Item, Result>(group: Group<Item, Result>): readonly Waiting<Item, Result>[] {
  for (;;) {
    const taken = takeFairly(group.lane, group.max, group.busy)
    if (taken.length === 0) return taken
    const items = inTime(group, taken).filter((entry) => !joinApart(group, entry))
    if (items.length > 0) return items
  }
}

/** Returns the items that are within their deadline. Refuses the others with 503; their work is not begun. */
function inTime<Item, Result>(
  { refuses }: Group<Item, Result>,
  items: readonly Waiting<Item, Result>[],
): readonly Waiting<Item, Result>[] {
  if (!refuses) return items
  const { expired, left } = takeExpired(items)
  for (const { reject } of expired) reject(unavailable())
  return left
}

async function settleHurried<Item, Result>(
  group: Group<Item, Result>,
  items: readonly Waiting<Item, Result>[],
): Promise<void> {
  const again = async (entries: readonly Waiting<Item, Result>[]) => {
    const inLane = entries.filter((entry) => !joinApart(group, entry))
    if (inLane.length > 0) await settleHurried(group, inLane)
  }
  const error = await settle(items, { run: group.run, turn: { hurry: true }, again })
  if (error === null) return
  const byKey = [...groupBy(items, ({ key }) => key).values()]
  for (const ofKey of byKey)
    if (byKey.length > 1) await settleHurried(group, ofKey)
    else goApart(group, ofKey)
}

function joinApart<Item, Result>({ apart }: Group<Item, Result>, entry: Waiting<Item, Result>): boolean {
  const own = apart.get(entry.key)
  own?.waiting.push(entry)
  return own !== undefined
}

function goApart<Item, Result>(group: Group<Item, Result>, items: readonly Waiting<Item, Result>[]): void {
  const key = items[0]?.key as number // There is at least one, and all are of one key.
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
    await timed(group, items, () => settleAlone(items))
  }
  group.apart.delete(key)
}
