import type { WindowState } from './limits.ts'

/**
 * The accepted requests of a sliding window, as counts in slots of time. Small limits have a slot for each millisecond, so they are
 * exact; large ones have sixty slots in a window, so a window costs the same however many it has accepted. A slot counts in full
 * until all of it is out of the window: never more than the limit in any window, and at large limits room comes free up to a slot
 * late.
 */
export type RateWindow = { slots: number[]; counts: number[]; total: number }

/** How many requests are accepted in any `windowMs`, and how wide the slots are. */
export type WindowShape = { limit: number; windowMs: number; slotMs: number }

// Up to this limit a window is exact: a list of this many instants is still short.
const MAX_EXACT_LIMIT = 300
const SLOTS_PER_LARGE_WINDOW = 60
// A transaction that waited for the row decides with a time older than what another one has written. So counts that have just
// left the window are kept for this long, which is longer than three tries of a transaction take.
const LATE_COUNTS_KEPT_MS = 15_000

export const makeShape = (limit: number, windowMs: number): WindowShape => ({
  limit,
  windowMs,
  slotMs: limit <= MAX_EXACT_LIMIT ? 1 : Math.ceil(windowMs / SLOTS_PER_LARGE_WINDOW),
})

export const newWindow = (): RateWindow => ({ slots: [], counts: [], total: 0 })

/** Adds `count` requests at this time. */
export function addRequests(window: RateWindow, { slotMs }: WindowShape, atMs: number, count = 1): void {
  const slot = Math.floor(atMs / slotMs)
  let at = window.slots.length
  while (at > 0 && (window.slots[at - 1] as number) > slot) at -= 1
  if (window.slots[at - 1] === slot) window.counts[at - 1] = (window.counts[at - 1] as number) + count
  else {
    window.slots.splice(at, 0, slot)
    window.counts.splice(at, 0, count)
  }
  window.total += count
}

/** Removes `count` requests of this time, or as many of them as are still counted. */
export function removeRequests(window: RateWindow, { slotMs }: WindowShape, atMs: number, count = 1): void {
  const at = window.slots.lastIndexOf(Math.floor(atMs / slotMs))
  const taken = Math.min(count, window.counts[at] ?? 0)
  if (taken === 0) return
  window.counts[at] = (window.counts[at] as number) - taken
  window.total -= taken
}

/** How many requests count now. */
export function countRequests(window: RateWindow, shape: WindowShape, nowMs: number): number {
  let outside = 0
  for (let at = 0; at < window.slots.length && leavesWindowAt(window, shape, at) <= nowMs; at += 1)
    outside += window.counts[at] as number
  return window.total - outside
}

/** How long until one more request fits, in ms; 0 when it fits now. */
export function msUntilRoom(window: RateWindow, shape: WindowShape, nowMs: number): number {
  let over = window.total - shape.limit
  for (let at = 0; over >= 0 && at < window.slots.length; at += 1) {
    over -= window.counts[at] as number
    if (over < 0) return Math.max(0, leavesWindowAt(window, shape, at) - nowMs)
  }
  return 0
}

/** How many more requests fit now, and when one more than that will. */
export function readWindowState(window: RateWindow, shape: WindowShape, nowMs: number): WindowState {
  const { limit } = shape
  const { slots, counts } = window
  let counted = window.total
  let at = 0
  for (; at < slots.length && leavesWindowAt(window, shape, at) <= nowMs; at += 1) counted -= counts[at] as number
  if (counted >= limit) return { limit, remaining: 0, moreInMs: msUntilRoom(window, shape, nowMs) }
  while (at < slots.length && counts[at] === 0) at += 1
  const moreInMs = at < slots.length ? leavesWindowAt(window, shape, at) - nowMs : null
  return { limit, remaining: limit - counted, moreInMs }
}

/** Drops counts that are too old, and counts further ahead than a window, which a wrong clock has written. */
export function dropOldCounts(window: RateWindow, shape: WindowShape, nowMs: number): void {
  const isKept = (at: number) =>
    leavesWindowAt(window, shape, at) > nowMs - LATE_COUNTS_KEPT_MS &&
    leavesWindowAt(window, shape, at) <= nowMs + 2 * shape.windowMs
  const last = window.slots.length - 1
  // Slots are in order of time: if both ends are kept, all are.
  if (last < 0 || (isKept(0) && isKept(last))) return
  const kept = window.slots.flatMap((_, at) => (isKept(at) ? at : []))
  window.slots = kept.map((at) => window.slots[at] as number)
  window.counts = kept.map((at) => window.counts[at] as number)
  window.total = window.counts.reduce((sum, count) => sum + count, 0)
}

/** When the last instant of this slot leaves the window. */
const leavesWindowAt = (window: RateWindow, { slotMs, windowMs }: WindowShape, at: number) =>
  (window.slots[at] as number) * slotMs + slotMs - 1 + windowMs
