import type { Call } from '../platform/db/database.ts'
import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'
import { tooMany } from './limits.ts'
import { remember } from './oldest-out.ts'
import {
  addTo,
  countedIn,
  emptyWindow,
  forgetOld,
  type Shape,
  takeFrom,
  type Window,
  waitForPlace,
} from './window.ts'
import { inLockOrder, type WindowRow, writeRows } from './window-rows.ts'
import { readWindow, writeWindow } from './window-text.ts'

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
type KnownWindow = { text: string | null; window: Window; made: boolean }
/** The windows of one limit in this process. */
export type Frame = {
  what: string
  shapeFor(merchantMode: MerchantMode): Shape
  known: Map<number, KnownWindow>
}

const MOST_KNOWN = 10_000

/** A window within one transaction. `counted`: how many requests count at the transaction's time, which every item needs. */
type Opened = {
  merchantMode: MerchantMode
  shape: Shape
  window: Window
  counted: number
  changed: boolean
  /** The cached window when it was opened; null where its row was missing. */
  known: KnownWindow | null
}

/** Opens the locked windows of these rows. */
export function openWindows(frame: Frame, rows: readonly WindowRow[], nowMs: number): OpenWindows {
  const opened = new Map(rows.map((row) => [merchantModeKey(row), openRow(frame, row, nowMs)]))
  const openedOf = (merchantMode: MerchantMode) => {
    const window = opened.get(merchantModeKey(merchantMode)) ?? openMissing(frame, merchantMode)
    opened.set(merchantModeKey(merchantMode), window)
    return window
  }
  return {
    check(merchantMode) {
      const { counted, window, shape } = openedOf(merchantMode)
      if (counted >= shape.limit) refuseFull(window, shape, nowMs)
    },
    take(merchantMode) {
      const open = openedOf(merchantMode)
      addTo(open.window, open.shape, nowMs)
      open.counted += 1
      open.changed = true
    },
    giveBack(merchantMode, acceptedMs) {
      this.change(merchantMode, { atMs: acceptedMs, count: -1 })
    },
    change(merchantMode, { atMs, count }) {
      const open = openedOf(merchantMode)
      if (count > 0) addTo(open.window, open.shape, atMs, count)
      else takeFrom(open.window, open.shape, atMs, -count)
      open.counted = countedIn(open.window, open.shape, nowMs)
      open.changed = true
    },
    free(merchantMode) {
      const { shape, counted } = openedOf(merchantMode)
      return shape.limit - counted
    },
    writes: () => {
      const changed = [...opened.values()].filter((opened) => opened.changed)
      return changed.length === 0 ? [] : [write(frame, changed)]
    },
  }
}

function openRow({ shapeFor, known }: Frame, row: WindowRow, nowMs: number): Opened {
  const shape = shapeFor(row)
  const key = merchantModeKey(row)
  const before = known.get(key)
  const window = before?.text === row.accepted ? before.window : readWindow(row.accepted)
  forgetOld(window, shape, nowMs)
  // A row that this transaction inserted disappears if the transaction fails.
  const made = row.accepted !== ''
  const cached = { text: row.accepted, window, made }
  remember(known, { key, value: cached, most: MOST_KNOWN })
  // A copy: if the transaction fails, the row and the cached window are as they were.
  return {
    ...{ merchantMode: row, shape, window: copyOf(window), counted: countedIn(window, shape, nowMs) },
    ...{ changed: false, known: cached },
  }
}

/** Opens an empty window for a missing row: after a crash of the database the windows start empty, and the next batch makes the row. */
function openMissing({ shapeFor, known }: Frame, merchantMode: MerchantMode): Opened {
  known.delete(merchantModeKey(merchantMode))
  return {
    merchantMode,
    shape: shapeFor(merchantMode),
    window: emptyWindow(),
    counted: 0,
    changed: false,
    known: null,
  }
}

/** Stores these windows, in the order in which every process locks them. */
function write({ what, known }: Frame, opened: Opened[]): Call {
  opened.sort((a, b) => inLockOrder(a.merchantMode, b.merchantMode))
  const texts = opened.map(({ merchantMode, window, known: cached }) => {
    const text = writeWindow(window)
    // Unless a request was removed meanwhile: then the cache holds that count, and the row follows.
    if (cached !== null && known.get(merchantModeKey(merchantMode)) === cached)
      Object.assign(cached, { text, window })
    return text
  })
  return writeRows(
    opened.map(({ merchantMode }) => merchantMode),
    what,
    texts,
  )
}

export const copyOf = (window: Window): Window => ({
  ...window,
  slots: [...window.slots],
  counts: [...window.counts],
})

/** Throws 429 unless a request fits now. */
export function refuseFull(window: Window, shape: Shape, nowMs: number): void {
  const waitMs = waitForPlace(window, shape, nowMs)
  if (waitMs > 0) throw tooMany(waitMs)
}
