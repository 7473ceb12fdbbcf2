import { setTimeout as sleep } from 'node:timers/promises'
import type { Spent } from './spent.ts'

// With more waiting than this a caller would give up before its turn, so it gets 503 at once.
const MAX_WAITING = 2000
const LONGEST_EXPECTED_MS = 2000
// How long a request may take (reliability.md 6.2).
const DEADLINE_MS = 10_000
// A full lane still takes a quarter more from merchants that hold little of it: those that fill it are refused first.
const FULL_FOR_ALL = 1.25
const MOST_OF_ONE = 1 / 4
const NEWEST_COUNTS = 0.2
const NEWEST_COUNTS_STEADILY = 0.05
const TIMES_USUAL = 3
const EARLIEST_LATE_MS = 20
const LATEST_MS = 200

/** The most that wait apart for one key. */
export const MAX_APART = MAX_WAITING * MOST_OF_ONE

/** An item that waits for its answer. */
export type Waiting<Item, Result> = {
  item: Item
  key: number
  /** performance.now() when it came. */
  since: number
  /** Who waits for it, if that is one request. */
  spent: Spent | null
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}
/** The queue of a batch, in which one run goes after the other. */
export type Lane<Item, Result> = {
  waiting: Waiting<Item, Result>[]
  /** How many items of each key are waiting. */
  ofKey: Map<number, number>
  /** Recent average duration of a batch, and one over more batches, which a single slow one hardly changes. */
  usualMs: number
  steadyMs: number | null
  /** When the batch under way began, performance.now(); null between batches. */
  begunAt: number | null
}
export const emptyLane = <Item, Result>(): Lane<Item, Result> => ({
  waiting: [],
  ofKey: new Map(),
  usualMs: 0,
  steadyMs: null,
  begunAt: null,
})

export function putInto<Item, Result>(lane: Lane<Item, Result>, entry: Waiting<Item, Result>): void {
  lane.waiting.push(entry)
  lane.ofKey.set(entry.key, (lane.ofKey.get(entry.key) ?? 0) + 1)
}

/**
 * How long an item added now would probably wait: for everything before it and for its own batch. `later`: how many are going to be added
 * before it. A lane that refuses, and takes nothing more from anybody now, answers with what is too long for everybody: so a request is
 * refused when it comes, which costs half of what it costs once its body has been read.
 */
export function expectedMs<Item, Result>(
  { waiting, usualMs, steadyMs, begunAt }: Lane<Item, Result>,
  { max, later, refuses = false }: { max: number; later: number; refuses?: boolean },
): number {
  // A batch that is slower than usual is expected to take at least as long again.
  const runMs = begunAt === null ? usualMs : Math.max(usualMs, performance.now() - begunAt)
  const nowMs = (Math.floor(waiting.length / max) + (begunAt === null ? 0 : 1)) * runMs
  const fullMs = refuses && waiting.length >= MAX_WAITING * FULL_FOR_ALL ? LONGEST_EXPECTED_MS : 0
  return Math.max(fullMs, nowMs + Math.floor(later / max) * (steadyMs ?? 0))
}

/** How long the batches of what waits and of `later` others steadily take, in ms; a part of a batch counts as that part. */
export const behindMs = <Item, Result>(
  { waiting, steadyMs }: Lane<Item, Result>,
  { max, later }: { max: number; later: number },
): number => ((waiting.length + later) / max) * (steadyMs ?? 0)

/** Waits until the oldest item has waited for others as long as it should. */
export async function gather<Item, Result>(
  { waiting }: Lane<Item, Result>,
  gatherMs: () => number,
): Promise<void> {
  const [oldest] = waiting
  const leftMs = oldest === undefined ? 0 : gatherMs() - (performance.now() - oldest.since)
  if (leftMs > 0) await sleep(leftMs)
}

/** A batch that takes longer than this is late: others need not wait for it. */
export const lateAfterMs = ({ usualMs }: Pick<Lane<unknown, unknown>, 'usualMs'>): number =>
  Math.min(LATEST_MS, Math.max(EARLIEST_LATE_MS, TIMES_USUAL * usualMs))

/** Takes out items that have waited past their deadline: nobody waits for their answer, so their work is not begun. */
export function takeExpired<Item, Result>(
  items: readonly Waiting<Item, Result>[],
): { expired: Waiting<Item, Result>[]; left: Waiting<Item, Result>[] } {
  const oldest = performance.now() - DEADLINE_MS
  const left = items.filter(({ since }) => since >= oldest)
  return { left, expired: left.length === items.length ? [] : items.filter(({ since }) => since < oldest) }
}

/** Remembers how long a batch took. */
export function countBatch<Item, Result>(lane: Lane<Item, Result>, ms: number): void {
  lane.usualMs += (ms - lane.usualMs) * NEWEST_COUNTS
  lane.steadyMs = lane.steadyMs === null ? ms : lane.steadyMs + (ms - lane.steadyMs) * NEWEST_COUNTS_STEADILY
}

/**
 * Whether the lane is full for this key: too many items wait, or too long. Keys with more than their share are refused
 * first.
 */
export function isFull<Item, Result>(lane: Lane<Item, Result>, key: number, max: number): boolean {
  const { waiting, ofKey } = lane
  const fullness = Math.max(
    waiting.length / MAX_WAITING,
    expectedMs(lane, { max, later: 0 }) / LONGEST_EXPECTED_MS,
  )
  if (fullness < 1) return false
  return fullness >= FULL_FOR_ALL || (ofKey.get(key) ?? 0) > waiting.length * MOST_OF_ONE
}

/**
 * The next batch, without the keys that are busy. When not all fit, no key gets more than its share before every other key has
 * a place.
 */
export function takeFairly<Item, Result>(
  lane: Lane<Item, Result>,
  max: number,
  busy: ReadonlySet<number>,
): Waiting<Item, Result>[] {
  if (lane.waiting.length <= max && busy.size === 0) {
    lane.ofKey.clear()
    return lane.waiting.splice(0, max)
  }
  const share = lane.waiting.length <= max ? max : Math.max(1, Math.floor(max * MOST_OF_ONE))
  const taken = new Map<number, number>()
  const [first, rest]: [Waiting<Item, Result>[], Waiting<Item, Result>[]] = [[], []]
  for (const entry of lane.waiting) {
    const count = taken.get(entry.key) ?? 0
    const fits = first.length < max && count < share && !busy.has(entry.key)
    if (fits) taken.set(entry.key, count + 1)
    ;(fits ? first : rest).push(entry)
  }
  const left = fill(first, rest, { max, busy })
  lane.waiting = left
  lane.ofKey = new Map()
  for (const { key } of left) lane.ofKey.set(key, (lane.ofKey.get(key) ?? 0) + 1)
  return first
}

/** Gives the places that are left to those with more than their share; answers who stays. */
function fill<Item, Result>(
  first: Waiting<Item, Result>[],
  rest: readonly Waiting<Item, Result>[],
  { max, busy }: { max: number; busy: ReadonlySet<number> },
): Waiting<Item, Result>[] {
  const left: Waiting<Item, Result>[] = []
  for (const entry of rest) {
    const fits = first.length < max && !busy.has(entry.key)
    ;(fits ? first : left).push(entry)
  }
  return left
}
