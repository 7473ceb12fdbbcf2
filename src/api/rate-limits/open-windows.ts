import type { Call } from '../../platform/db/database.ts'
import { type MerchantMode, merchantModeKey } from '../../platform/mode.ts'
import { rememberNewest } from './bounded-map.ts'
import { tooManyRequests } from './limits.ts'
import {
  addRequests,
  countRequests,
  dropOldCounts,
  msUntilRoom,
  newWindow,
  type RateWindow,
  removeRequests,
  type WindowShape,
} from './window.ts'
import { compareMerchantModes, type WindowRow, writeRows } from './window-rows.ts'
import { formatWindow, parseWindow } from './window-text.ts'

/** The windows that one transaction has locked. */
export type OpenWindows = {
  /** Throws 429 when the window is full. */
  check(merchantMode: MerchantMode): void
  /** Counts one accepted request. */
  take(merchantMode: MerchantMode): void
  /** Removes one request that was accepted at this time. */
  giveBack(merchantMode: MerchantMode, acceptedMs: number): void
  /** Adds `count` requests at this time; removes them when it is below zero. */
  change(merchantMode: MerchantMode, by: { atMs: number; count: number }): void
  /** How many more requests fit now. */
  free(merchantMode: MerchantMode): number
  /** Stores the changed windows; sent together with COMMIT. */
  writes(): Call[]
}

/**
 * The window of a merchant as this process last read or wrote it (`text`): an unchanged row is not parsed again. `made`: the row
 * existed before the transaction that read it, so it need not be made.
 */
type CachedWindow = { text: string | null; window: RateWindow; made: boolean }
/** The windows of one limit in this process. */
export type LimitWindows = {
  what: string
  shapeFor(merchantMode: MerchantMode): WindowShape
  known: Map<number, CachedWindow>
}

const MAX_CACHED_WINDOWS = 10_000

/** A window within one transaction. `counted`: how many requests count at the transaction's time, which every item needs. */
type OpenWindow = {
  merchantMode: MerchantMode
  shape: WindowShape
  window: RateWindow
  counted: number
  changed: boolean
  /** The cached window when it was opened; null where its row was missing. */
  known: CachedWindow | null
}

/** Opens the locked windows of these rows. */
export function openLockedWindows(frame: LimitWindows, rows: readonly WindowRow[], nowMs: number): OpenWindows {
  const opened = new Map(rows.map((row) => [merchantModeKey(row), openRow(frame, row, nowMs)]))
  const openedOf = (merchantMode: MerchantMode) => {
    const window = opened.get(merchantModeKey(merchantMode)) ?? openMissing(frame, merchantMode)
    opened.set(merchantModeKey(merchantMode), window)
    return window
  }
  return {
    check(merchantMode) {
      const { counted, window, shape } = openedOf(merchantMode)
      if (counted >= shape.limit) refuseIfFull(window, shape, nowMs)
    },
    take(merchantMode) {
      const open = openedOf(merchantMode)
      addRequests(open.window, open.shape, nowMs)
      open.counted += 1
      open.changed = true
    },
    giveBack(merchantMode, acceptedMs) {
      this.change(merchantMode, { atMs: acceptedMs, count: -1 })
    },
    change(merchantMode, { atMs, count }) {
      const open = openedOf(merchantMode)
      if (count > 0) addRequests(open.window, open.shape, atMs, count)
      else removeRequests(open.window, open.shape, atMs, -count)
      open.counted = countRequests(open.window, open.shape, nowMs)
      open.changed = true
    },
    free(merchantMode) {
      const { shape, counted } = openedOf(merchantMode)
      return shape.limit - counted
    },
    writes: () => {
      const changed = [...opened.values()].filter((opened) => opened.changed)
      return changed.length === 0 ? [] : [buildWrite(frame, changed)]
    },
  }
}

function openRow({ shapeFor, known }: LimitWindows, row: WindowRow, nowMs: number): OpenWindow {
  const shape = shapeFor(row)
  const key = merchantModeKey(row)
  const before = known.get(key)
  const window = before?.text === row.accepted ? before.window : parseWindow(row.accepted)
  dropOldCounts(window, shape, nowMs)
  // A row that this transaction inserted disappears if the transaction fails.
  const made = row.accepted !== ''
  const cached = { text: row.accepted, window, made }
  rememberNewest(known, { key, value: cached, most: MAX_CACHED_WINDOWS })
  // A copy: if the transaction fails, the row and the cached window are as they were.
  return {
    ...{ merchantMode: row, shape, window: copyWindow(window), counted: countRequests(window, shape, nowMs) },
    ...{ changed: false, known: cached },
  }
}

/** Opens an empty window for a missing row: after a crash of the database the windows start empty, and the next batch makes the row. */
function openMissing({ shapeFor, known }: LimitWindows, merchantMode: MerchantMode): OpenWindow {
  known.delete(merchantModeKey(merchantMode))
  return {
    merchantMode,
    shape: shapeFor(merchantMode),
    window: newWindow(),
    counted: 0,
    changed: false,
    known: null,
  }
}

/** Stores these windows, in the order in which every process locks them. */
function buildWrite({ what, known }: LimitWindows, opened: OpenWindow[]): Call {
  opened.sort((a, b) => compareMerchantModes(a.merchantMode, b.merchantMode))
  const texts = opened.map(({ merchantMode, window, known: cached }) => {
    const text = formatWindow(window)
    // Unless a request was removed meanwhile: then the cache holds that count, and the row follows.
    if (cached !== null && known.get(merchantModeKey(merchantMode)) === cached) Object.assign(cached, { text, window })
    return text
  })
  return writeRows(
    opened.map(({ merchantMode }) => merchantMode),
    what,
    texts,
  )
}

export const copyWindow = (window: RateWindow): RateWindow => ({
  ...window,
  slots: [...window.slots],
  counts: [...window.counts],
})

/** Throws 429 unless a request fits now. */
export function refuseIfFull(window: RateWindow, shape: WindowShape, nowMs: number): void {
  const waitMs = msUntilRoom(window, shape, nowMs)
  if (waitMs > 0) throw tooManyRequests(waitMs)
}
