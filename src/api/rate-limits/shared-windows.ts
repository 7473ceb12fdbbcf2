import { assert } from '../../platform/assert.ts'
import { toColumns } from '../../platform/db/columns.ts'
import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { type Mode, merchantModeKey } from '../../platform/mode.ts'
import { type RateLimits, tooManyRequests, type WindowState } from './limits.ts'

const PUBLISH_COUNTS = statement(
  'tell rate counts',
  `insert into rate_counts (process, merchant_id, mode, what, count, counted_at)
   select $1, merchant_id, mode, what, count, $6
   from unnest($2::bigint[], $3::mode[], $4::text[], $5::int[]) as n (merchant_id, mode, what, count)
   on conflict (process, merchant_id, mode, what) do update set count = excluded.count, counted_at = excluded.counted_at`,
)
const READ_OTHER_COUNTS = statement<{ merchantId: number; mode: Mode; what: string; count: number }>(
  'hear rate counts',
  `select merchant_id as "merchantId", mode, what, sum(count)::bigint as count from rate_counts
   where process <> $1 and counted_at > $2 group by merchant_id, mode, what`,
)
const FORGET_COUNTS = statement('forget rate counts', 'delete from rate_counts where counted_at < $1')

/**
 * Windows in the memory of each process, which learns the counts of the others once a second: for reads and the total of all
 * requests, where being wrong by one second of traffic does no harm and a round trip for each request would cost too much. Counts in
 * buckets of one second: never more than the limit in any 60 s of this process.
 */
export type SharedWindows = {
  /** Counts a request, or throws 429. */
  take(merchantId: number, mode: Mode, what: string, nowMs: number): void
  /** Removes a request whose answer was a 4xx. */
  giveBack(merchantId: number, mode: Mode, taken: { what: string; atMs: number }): void
  /** What this process knows of a window; null where there is no limit. Counts of the others are up to a second old. */
  stateOf(merchantId: number, mode: Mode, what: string, nowMs: number): WindowState | null
  /** Publishes this process's counts and reads those of the others. Called once a second. */
  exchangeCounts(db: Database, process: string, now: Date): Promise<void>
}

const WINDOW_SECONDS = 60
// A process publishes a window once it holds this part of the limit; smaller counts do not matter to the others.
const PUBLISHED_FROM_FRACTION = 1 / 50
// Counts not renewed for this long belong to a process that is gone or idle.
const FRESH_MS = 2500
const FORGOTTEN_MS = 60_000

type SecondsWindow = {
  merchantId: number
  mode: Mode
  what: string
  counts: Uint32Array
  second: number
  sum: number
  others: number
}

/** `granted`: the limit of a merchant instead of the usual one. */
export function newSharedWindows(
  limits: RateLimits,
  granted: (what: string, merchantId: number) => number | undefined = () => undefined,
): SharedWindows {
  const windows = new Map<string, Map<number, SecondsWindow>>()

  function windowOf(merchantId: number, mode: Mode, what: string, nowMs: number): SecondsWindow {
    const own = windows.get(what) ?? new Map<number, SecondsWindow>()
    const key = merchantModeKey({ merchantId, mode })
    let window = own.get(key)
    if (window === undefined) {
      window = newWindow(merchantId, mode, what)
      windows.set(what, own.set(key, window))
    }
    moveWindow(window, Math.floor(nowMs / 1000))
    return window
  }

  return {
    take(merchantId, mode, what, nowMs) {
      const limit = limits[what]
      assert(limit !== undefined, `there is a limit called ${what}`)
      if (limit === 0) return
      const window = windowOf(merchantId, mode, what, nowMs)
      if (window.sum + window.others >= (granted(what, merchantId) ?? limit))
        throw tooManyRequests(msUntilOldestLeaves(window, nowMs))
      const slot = window.second % window.counts.length
      window.counts[slot] = (window.counts[slot] ?? 0) + 1
      window.sum += 1
    },
    giveBack(merchantId, mode, { what, atMs }) {
      const window = windows.get(what)?.get(merchantModeKey({ merchantId, mode }))
      if (window) removeRequest(window, Math.floor(atMs / 1000))
    },
    stateOf(merchantId, mode, what, nowMs) {
      const usual = limits[what] ?? 0
      if (usual === 0) return null
      const window = windows.get(what)?.get(merchantModeKey({ merchantId, mode }))
      return readState(window, granted(what, merchantId) ?? usual, nowMs)
    },
    async exchangeCounts(db, process, now) {
      const nowMs = now.getTime()
      const published: SecondsWindow[] = []
      for (const [what, own] of windows)
        for (const [key, window] of own) {
          moveWindow(window, Math.floor(nowMs / 1000))
          if (window.sum === 0 && window.others === 0) own.delete(key)
          else if (window.sum >= (granted(what, window.merchantId) ?? limits[what] ?? 0) * PUBLISHED_FROM_FRACTION)
            published.push(window)
        }
      if (published.length > 0) await publishCounts(db, process, { windows: published, now })
      const ofOthers = await db.query(READ_OTHER_COUNTS, [process, new Date(nowMs - FRESH_MS).toISOString()])
      // Only now, so that what others told is known while they are asked again.
      for (const own of windows.values()) for (const window of own.values()) window.others = 0
      for (const { merchantId, mode, what, count } of ofOthers) windowOf(merchantId, mode, what, nowMs).others = count
      if (Math.floor(nowMs / 1000) % WINDOW_SECONDS === 0)
        await db.query(FORGET_COUNTS, [new Date(nowMs - FORGOTTEN_MS).toISOString()])
    },
  }
}

const newWindow = (merchantId: number, mode: Mode, what: string): SecondsWindow => ({
  merchantId,
  mode,
  what,
  counts: new Uint32Array(WINDOW_SECONDS + 1),
  second: 0,
  sum: 0,
  others: 0,
})

/** Moves the window on to this second, and forgets the seconds that have left it. */
function moveWindow(window: SecondsWindow, second: number): void {
  if (second <= window.second) return
  const passed = Math.min(second - window.second, window.counts.length)
  for (let step = 1; step <= passed; step += 1) {
    const slot = (window.second + step) % window.counts.length
    window.sum -= window.counts[slot] ?? 0
    window.counts[slot] = 0
  }
  window.second = second
}

function removeRequest(window: SecondsWindow, second: number): void {
  if (window.second - second > WINDOW_SECONDS) return
  const slot = second % window.counts.length
  const count = window.counts[slot] ?? 0
  if (count === 0) return
  window.counts[slot] = count - 1
  window.sum -= 1
}

function readState(window: SecondsWindow | undefined, limit: number, nowMs: number): WindowState {
  if (window === undefined) return { limit, remaining: limit, moreInMs: null }
  moveWindow(window, Math.floor(nowMs / 1000))
  const remaining = Math.max(0, limit - window.sum - window.others)
  return { limit, remaining, moreInMs: window.sum === 0 ? null : msUntilOldestLeaves(window, nowMs) }
}

/** The time until the oldest second with a count leaves the window, in ms. */
function msUntilOldestLeaves(window: SecondsWindow, nowMs: number): number {
  for (let age = WINDOW_SECONDS; age >= 0; age -= 1) {
    const second = window.second - age
    if (second >= 0 && (window.counts[second % window.counts.length] ?? 0) > 0)
      return (second + WINDOW_SECONDS + 1) * 1000 - nowMs
  }
  return 1000
}

async function publishCounts(
  db: Database,
  process: string,
  { windows, now }: { windows: SecondsWindow[]; now: Date },
): Promise<void> {
  const each = toColumns(windows)
  await db.query(PUBLISH_COUNTS, [process, ...each.values('merchantId', 'mode', 'what', 'sum'), now.toISOString()])
}
