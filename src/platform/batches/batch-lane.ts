import { setTimeout as sleep } from 'node:timers/promises'
import type { TimeSpent } from '../log/spent.ts'

// With more items waiting than this, a caller would give up before its turn, so it gets 503 at once.
const MAX_WAITING = 2000
const MAX_EXPECTED_MS = 2000
// How long a request may take (reliability.md 6.2).
const DEADLINE_MS = 10_000
// A full lane still takes a quarter more items from keys that hold little of it: those that fill it are refused first.
const FULL_FOR_ALL_FACTOR = 1.25
const ONE_KEY_FRACTION = 1 / 4
const NEWEST_WEIGHT = 0.2
const NEWEST_WEIGHT_STEADY = 0.05
const LATE_AFTER_FACTOR = 3
const MIN_LATE_AFTER_MS = 20
const MAX_LATE_AFTER_MS = 200

/** How many items of one key may wait apart from the lane. */
export const MAX_WAITING_APART = MAX_WAITING * ONE_KEY_FRACTION

/** An item that waits for its result. */
export type WaitingItem<Item, Result> = {
  item: Item
  key: number
  /** performance.now() when it came. */
  since: number
  /** The time account of the request that waits for it; null where it is not one request. */
  spent: TimeSpent | null
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}
/** The queue of a batch, in which one run goes after the other. */
export type BatchLane<Item, Result> = {
  waiting: WaitingItem<Item, Result>[]
  /** How many items of each key are waiting. */
  ofKey: Map<number, number>
  /** The recent average duration of a batch, and an average over more batches, which a single slow batch hardly changes. */
  usualMs: number
  steadyMs: number | null
  /** When the batch under way began, performance.now(); null between batches. */
  begunAt: number | null
}
export const newLane = <Item, Result>(): BatchLane<Item, Result> => ({
  waiting: [],
  ofKey: new Map(),
  usualMs: 0,
  steadyMs: null,
  begunAt: null,
})

export function addToLane<Item, Result>(lane: BatchLane<Item, Result>, entry: WaitingItem<Item, Result>): void {
  lane.waiting.push(entry)
  lane.ofKey.set(entry.key, (lane.ofKey.get(entry.key) ?? 0) + 1)
}

/**
 * Estimates how long an item added now would wait, in ms: for everything before it and for its own batch. `later`: how many items are going
 * to be added before it. A lane that refuses, and is full for every key, returns a time that is too long for any caller: so a request is
 * refused on arrival, which costs half of what it costs once its body has been read.
 */
export function estimateWaitMs<Item, Result>(
  { waiting, usualMs, steadyMs, begunAt }: BatchLane<Item, Result>,
  { max, later, refuses = false }: { max: number; later: number; refuses?: boolean },
): number {
  // A batch that is slower than usual is expected to take at least as long again.
  const runMs = begunAt === null ? usualMs : Math.max(usualMs, performance.now() - begunAt)
  const nowMs = (Math.floor(waiting.length / max) + (begunAt === null ? 0 : 1)) * runMs
  const fullMs = refuses && waiting.length >= MAX_WAITING * FULL_FOR_ALL_FACTOR ? MAX_EXPECTED_MS : 0
  return Math.max(fullMs, nowMs + Math.floor(later / max) * (steadyMs ?? 0))
}

/**
 * Estimates how long the batches of the waiting items and of `later` more take, in ms, by the steady average; part of a batch counts as
 * that part.
 */
export const estimateBacklogMs = <Item, Result>(
  { waiting, steadyMs }: BatchLane<Item, Result>,
  { max, later }: { max: number; later: number },
): number => ((waiting.length + later) / max) * (steadyMs ?? 0)

/** Waits until the oldest item has waited `gatherMs`, so that others can join its batch. */
export async function gatherItems<Item, Result>(
  { waiting }: BatchLane<Item, Result>,
  gatherMs: () => number,
): Promise<void> {
  const [oldest] = waiting
  const leftMs = oldest === undefined ? 0 : gatherMs() - (performance.now() - oldest.since)
  if (leftMs > 0) await sleep(leftMs)
}

/** The duration in ms after which a batch is late, so that other keys stop waiting for it. */
export const lateAfterMs = ({ usualMs }: Pick<BatchLane<unknown, unknown>, 'usualMs'>): number =>
  Math.min(MAX_LATE_AFTER_MS, Math.max(MIN_LATE_AFTER_MS, LATE_AFTER_FACTOR * usualMs))

/** Splits off items that have waited past their deadline: no caller waits for their result, so their work is not begun. */
export function splitExpired<Item, Result>(
  items: readonly WaitingItem<Item, Result>[],
): { expired: WaitingItem<Item, Result>[]; inTime: WaitingItem<Item, Result>[] } {
  const oldest = performance.now() - DEADLINE_MS
  const left = items.filter(({ since }) => since >= oldest)
  const expired = left.length === items.length ? [] : items.filter(({ since }) => since < oldest)
  return { inTime: left, expired }
}

/** Updates the averages of the lane with the duration of a batch. */
export function recordBatchMs<Item, Result>(lane: BatchLane<Item, Result>, ms: number): void {
  lane.usualMs += (ms - lane.usualMs) * NEWEST_WEIGHT
  lane.steadyMs = lane.steadyMs === null ? ms : lane.steadyMs + (ms - lane.steadyMs) * NEWEST_WEIGHT_STEADY
}

/**
 * Whether the lane is full for this key: too many items wait, or they wait too long. Keys that hold more than a quarter of it are
 * refused first.
 */
export function isLaneFull<Item, Result>(lane: BatchLane<Item, Result>, key: number, max: number): boolean {
  const { waiting, ofKey } = lane
  const fullness = Math.max(waiting.length / MAX_WAITING, estimateWaitMs(lane, { max, later: 0 }) / MAX_EXPECTED_MS)
  if (fullness < 1) return false
  return fullness >= FULL_FOR_ALL_FACTOR || (ofKey.get(key) ?? 0) > waiting.length * ONE_KEY_FRACTION
}

/**
 * Takes the next batch out of the lane, without the keys that are busy. When not all items fit, no key gets more than a quarter of the
 * batch before all others have what they need.
 */
export function takeFairly<Item, Result>(
  lane: BatchLane<Item, Result>,
  max: number,
  busy: ReadonlySet<number>,
): WaitingItem<Item, Result>[] {
  if (lane.waiting.length <= max && busy.size === 0) {
    lane.ofKey.clear()
    return lane.waiting.splice(0, max)
  }
  const maxOfKey = lane.waiting.length <= max ? max : Math.max(1, Math.floor(max * ONE_KEY_FRACTION))
  const countOfKey = new Map<number, number>()
  const [batch, rest]: [WaitingItem<Item, Result>[], WaitingItem<Item, Result>[]] = [[], []]
  for (const entry of lane.waiting) {
    const count = countOfKey.get(entry.key) ?? 0
    const fits = batch.length < max && count < maxOfKey && !busy.has(entry.key)
    if (fits) countOfKey.set(entry.key, count + 1)
    ;(fits ? batch : rest).push(entry)
  }
  const staying = fillUp(batch, rest, { max, busy })
  lane.waiting = staying
  lane.ofKey = new Map()
  for (const { key } of staying) lane.ofKey.set(key, (lane.ofKey.get(key) ?? 0) + 1)
  return batch
}

/** Fills up the batch from the rest, whatever their keys have in it already. Returns the items that stay in the lane. */
function fillUp<Item, Result>(
  batch: WaitingItem<Item, Result>[],
  rest: readonly WaitingItem<Item, Result>[],
  { max, busy }: { max: number; busy: ReadonlySet<number> },
): WaitingItem<Item, Result>[] {
  const staying: WaitingItem<Item, Result>[] = []
  for (const entry of rest) {
    const fits = batch.length < max && !busy.has(entry.key)
    ;(fits ? batch : staying).push(entry)
  }
  return staying
}
