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
  check(place: MerchantMode): void
  /** Counts one accepted request. */
  take(place: MerchantMode): void
  /** Removes one request that was accepted at this time. */
  giveBack(place: MerchantMode, acceptedMs: number): void
  /** Counts so many more at this time, or fewer when below zero. */
  change(place: MerchantMode, by: { atMs: number; count: number }): void
  /** How many more fit now. */
  free(place: MerchantMode): number
  /** For the last flush of the batch. */
  writes(): Call[]
}

/**
 * What this process last wrote or read of a merchant. If the row is unchanged it is not parsed again. `made`: its row was
 * there before the transaction that read it, so it need not be made.
 */
type KnownWindow = { text: string | null; window: Window; made: boolean }
/** The windows of one limit in this process. */
export type Frame = { what: string; shapeFor(place: MerchantMode): Shape; known: Map<number, KnownWindow> }

const MOST_KNOWN = 10_000

/** A window within one transaction, with the count at its time, which every item needs. */
type Opened = {
  place: MerchantMode
  shape: Shape
  window: Window
  counted: number
  changed: boolean
  /** What was remembered of it when it was opened; null where its row was missing. */
  known: KnownWindow | null
}

/** Opens the locked windows of these rows. */
export function openWindows(frame: Frame, rows: readonly WindowRow[], nowMs: number): OpenWindows {
  const opened = new Map(rows.map((row) => [merchantModeKey(row), openRow(frame, row, nowMs)]))
  const openedOf = (place: MerchantMode) => {
    const found = opened.get(merchantModeKey(place)) ?? openMissing(frame, place)
    opened.set(merchantModeKey(place), found)
    return found
  }
  return {
    check(place) {
      const { counted, window, shape } = openedOf(place)
      if (counted >= shape.limit) refuseFull(window, shape, nowMs)
    },
    take(place) {
      const mine = openedOf(place)
      addTo(mine.window, mine.shape, nowMs)
      mine.counted += 1
      mine.changed = true
    },
    giveBack(place, acceptedMs) {
      this.change(place, { atMs: acceptedMs, count: -1 })
    },
    change(place, { atMs, count }) {
      const mine = openedOf(place)
      if (count > 0) addTo(mine.window, mine.shape, atMs, count)
      else takeFrom(mine.window, mine.shape, atMs, -count)
      mine.counted = countedIn(mine.window, mine.shape, nowMs)
      mine.changed = true
    },
    free(place) {
      const { shape, counted } = openedOf(place)
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
  const mine = { text: row.accepted, window, made }
  remember(known, { key, value: mine, most: MOST_KNOWN })
  // A copy: if the transaction fails, the row and what is remembered of it are as they were.
  return {
    ...{ place: row, shape, window: copyOf(window), counted: countedIn(window, shape, nowMs) },
    ...{ changed: false, known: mine },
  }
}

/** After a crash of the database the windows start empty: the next batch makes the row anew. */
function openMissing({ shapeFor, known }: Frame, place: MerchantMode): Opened {
  known.delete(merchantModeKey(place))
  return { place, shape: shapeFor(place), window: emptyWindow(), counted: 0, changed: false, known: null }
}

/** In the order in which every process locks them. */
function write({ what, known }: Frame, opened: Opened[]): Call {
  opened.sort((a, b) => inLockOrder(a.place, b.place))
  const texts = opened.map(({ place, window, known: mine }) => {
    const text = writeWindow(window)
    // Unless a place was given back meanwhile: then that count is remembered, and the row follows.
    if (mine !== null && known.get(merchantModeKey(place)) === mine) Object.assign(mine, { text, window })
    return text
  })
  return writeRows(
    opened.map(({ place }) => place),
    what,
    texts,
  )
}

export const copyOf = (window: Window): Window => ({
  ...window,
  slots: [...window.slots],
  counts: [...window.counts],
})

/** Throws 429 where no place comes free at once. */
export function refuseFull(window: Window, shape: Shape, nowMs: number): void {
  const waitMs = waitForPlace(window, shape, nowMs)
  if (waitMs > 0) throw tooMany(waitMs)
}
