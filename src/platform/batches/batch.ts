import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '../group-by.ts'
import { currentTimeSpent, type TimeSpent, trackTimeFor } from '../log/spent.ts'
import { unavailable } from '../refusal.ts'
import {
  addToLane,
  type BatchLane,
  estimateBacklogMs,
  estimateWaitMs,
  gatherItems,
  isLaneFull,
  lateAfterMs,
  MAX_WAITING_APART,
  newLane,
  recordBatchMs,
  splitExpired,
  takeFairly,
  type WaitingItem,
} from './batch-lane.ts'
import { type BatchTurn, type ItemOutcome, settleBatch, timeRun } from './batch-run.ts'

type BatchOptions<Item, Result> = {
  /** Runs a batch in one transaction and returns the outcomes in the order of the items. When it throws, the items run one by one. */
  run(items: readonly Item[], turn: BatchTurn): Promise<ItemOutcome<Result>[]>
  /** Two batches that run at once never have items of one key, so that they never lock one merchant's rows at once. */
  keyOf(item: Item): number
  /** The time account of the request that waits for this item. Default: that of the request that adds it, where known. */
  spentBy?: (item: Item) => TimeSpent | null
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
const MAX_ITEMS_PER_BATCH = 400
/** Items of a key whose rows another transaction has locked. They wait here, so that the lane can serve the other keys. */
type ApartQueue<Item, Result> = { waiting: WaitingItem<Item, Result>[]; running: Promise<void> }

/** The state of one batch queue. */
type BatchState<Item, Result> = {
  run(items: readonly Item[], turn: BatchTurn): Promise<ItemOutcome<Result>[]>
  max: number
  gatherMs: () => number
  refuses: boolean
  lane: BatchLane<Item, Result>
  /** Runs batches of the lane, one after the other; null when nothing waits. */
  main: Promise<void> | null
  /** Runs batches of other keys while the batch of `main` is late. */
  beside: Promise<void> | null
  isLate: boolean
  runsBeside: boolean
  /** The keys of the batches under way. */
  busy: Set<number>
  apart: Map<number, ApartQueue<Item, Result>>
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
export function newBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> {
  const { run, keyOf, spentBy = currentTimeSpent, max = MAX_ITEMS_PER_BATCH, gatherMs = () => 0 } = options
  const { beside = true, refuses = true } = options
  const [lane, apart] = [newLane<Item, Result>(), new Map<number, ApartQueue<Item, Result>>()]
  const group: BatchState<Item, Result> = {
    ...{ run, max, gatherMs, refuses, lane, apart, runsBeside: beside },
    ...{ main: null, beside: null, isLate: false, busy: new Set(), listeners: [] },
  }
  return {
    add(item) {
      const key = keyOf(item)
      const own = apart.get(key)
      if (refuses && (own ? own.waiting.length >= MAX_WAITING_APART : isLaneFull(lane, key, max)))
        return Promise.reject(unavailable())
      const promise = new Promise<Result>((resolve, reject) => {
        const entry = { item, key, since: performance.now(), spent: spentBy(item), resolve, reject }
        if (own) return void own.waiting.push(entry)
        addToLane(lane, entry)
      })
      if (!own) startRuns(group)
      return promise
    },
    waiting: () => [lane, ...apart.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    expectedMs: (later = 0) => estimateWaitMs(lane, { max, later, refuses }),
    behindMs: (later) => estimateBacklogMs(lane, { max, later }),
    idle: async () => {
      while (apart.size > 0 || group.main !== null || group.beside !== null)
        await Promise.all([group.main, group.beside, ...[...apart.values()].map(({ running }) => running)])
    },
    onRun: (listener) => {
      group.listeners.push(listener)
    },
  }
}

function startRuns<Item, Result>(group: BatchState<Item, Result>): void {
  // The time of a batch goes to the accounts of all its items, not to that of the request that started it.
  group.main ??= trackTimeFor(null, () => runLane(group))
  if (!group.isLate || group.beside !== null) return
  const items = takeBatch(group)
  if (items.length > 0) group.beside = trackTimeFor(null, () => runBeside(group, items))
}

async function runLane<Item, Result>(group: BatchState<Item, Result>): Promise<void> {
  const { lane, gatherMs } = group
  // At least one turn of the event loop, so that requests that arrived in the same read of the sockets share a batch.
  await nextTurn()
  await gatherItems(lane, gatherMs)
  for (let items = takeBatch(group); items.length > 0; items = takeBatch(group)) {
    lane.begunAt = performance.now()
    const late = group.runsBeside ? setTimeout(markLate, lateAfterMs(lane), group) : undefined
    const ms = await runBatch(group, items)
    clearTimeout(late)
    group.isLate = false
    lane.begunAt = null
    recordBatchMs(lane, ms)
    await gatherItems(lane, gatherMs)
  }
  group.main = null
}

function markLate<Item, Result>(group: BatchState<Item, Result>): void {
  group.isLate = true
  if (group.lane.waiting.length > 0) startRuns(group)
}

/** Runs batches of other keys until the late batch has ended. */
async function runBeside<Item, Result>(
  group: BatchState<Item, Result>,
  first: readonly WaitingItem<Item, Result>[],
): Promise<void> {
  for (let items = first; items.length > 0; items = group.isLate ? takeBatch(group) : []) await runBatch(group, items)
  group.beside = null
  // The lane may have left items waiting because their keys were in this batch.
  if (group.lane.waiting.length > 0) group.main ??= runLane(group)
}

async function runBatch<Item, Result>(
  group: BatchState<Item, Result>,
  items: readonly WaitingItem<Item, Result>[],
): Promise<number> {
  for (const { key } of items) group.busy.add(key)
  const ms = await timeRun(group, items, () => settleHurried(group, items))
  for (const { key } of items) group.busy.delete(key)
  return ms
}

/** Takes the next batch, without keys of batches under way. Empty when no waiting item may run now. */
function takeBatch<Item, Result>(group: BatchState<Item, Result>): readonly WaitingItem<Item, Result>[] {
  for (;;) {
    const taken = takeFairly(group.lane, group.max, group.busy)
    if (taken.length === 0) return taken
    const items = refuseExpired(group, taken).filter((entry) => !joinApart(group, entry))
    if (items.length > 0) return items
  }
}

/** Returns the items that are within their deadline. Refuses the others with 503; their work is not begun. */
function refuseExpired<Item, Result>(
  { refuses }: BatchState<Item, Result>,
  items: readonly WaitingItem<Item, Result>[],
): readonly WaitingItem<Item, Result>[] {
  if (!refuses) return items
  const { expired, inTime } = splitExpired(items)
  for (const { reject } of expired) reject(unavailable())
  return inTime
}

async function settleHurried<Item, Result>(
  group: BatchState<Item, Result>,
  items: readonly WaitingItem<Item, Result>[],
): Promise<void> {
  const again = async (entries: readonly WaitingItem<Item, Result>[]) => {
    const inLane = entries.filter((entry) => !joinApart(group, entry))
    if (inLane.length > 0) await settleHurried(group, inLane)
  }
  const error = await settleBatch(items, { run: group.run, turn: { hurry: true }, retry: again })
  if (error === null) return
  const byKey = [...groupBy(items, ({ key }) => key).values()]
  for (const ofKey of byKey)
    if (byKey.length > 1) await settleHurried(group, ofKey)
    else moveApart(group, ofKey)
}

function joinApart<Item, Result>({ apart }: BatchState<Item, Result>, entry: WaitingItem<Item, Result>): boolean {
  const own = apart.get(entry.key)
  own?.waiting.push(entry)
  return own !== undefined
}

function moveApart<Item, Result>(group: BatchState<Item, Result>, items: readonly WaitingItem<Item, Result>[]): void {
  const key = items[0]?.key as number // There is at least one, and all are of one key.
  const own: ApartQueue<Item, Result> = { waiting: [...items], running: Promise.resolve() }
  group.apart.set(key, own)
  own.running = drainApart(group, key, own)
}

async function drainApart<Item, Result>(
  group: BatchState<Item, Result>,
  key: number,
  own: ApartQueue<Item, Result>,
): Promise<void> {
  const patient: BatchTurn = { hurry: false, of: key }
  const settleAlone = async (items: readonly WaitingItem<Item, Result>[]): Promise<void> => {
    await settleBatch(items, { run: group.run, turn: patient, retry: settleAlone })
  }
  while (own.waiting.length > 0) {
    const items = refuseExpired(group, own.waiting.splice(0, group.max))
    if (items.length === 0) continue
    await timeRun(group, items, () => settleAlone(items))
  }
  group.apart.delete(key)
}
