import { type Batch, batch } from '../platform/batch.ts'
import { done, failed, type Outcome, type RunTurn } from '../platform/batch-run.ts'
import type { Call, Database } from '../platform/db/database.ts'
import { MINUTE_MS, tooMany } from './limits.ts'
import { remember } from './oldest-out.ts'
import {
  addTo,
  countedIn,
  emptyWindow,
  forgetOld,
  type Shape,
  shapeOf,
  takeFrom,
  type Window,
  waitForPlace,
} from './window.ts'
import {
  type CountedPlace,
  inLockOrder,
  keyOf,
  lockRows,
  makeRows,
  type WindowRow,
  writeRows,
} from './window-rows.ts'
import { readWindow, writeWindow } from './window-text.ts'

/**
 * A sliding window over all processes: never more than `limit` accepted in any 60 s. Its counts are read, locked and
 * written in the transaction of the work they count, so no request makes a round trip for them; work without such a
 * transaction is counted in one of its own.
 */
export type ExactWindow = {
  /** Refuses (429) what this process already knows to be over the limit, before anything else is checked. */
  refuseEarly(place: CountedPlace, nowMs: number): void
  /** For the first flush of the batch: locks the windows of these merchants. Empty when the limit is off. */
  lock(places: readonly CountedPlace[]): Call<WindowRow>[]
  /** Opens the locked windows from the answers to the calls of `lock`. */
  open(answers: readonly (readonly unknown[])[], nowMs: number): OpenWindows
  /** Takes a place at once, in a transaction of its own, and says as of when. Throws 429. */
  takeNow(place: CountedPlace, nowMs: number): Promise<number>
  /** Gives back the place of a request that was accepted at this time and refused after all. */
  giveBack(place: CountedPlace, acceptedMs: number): Promise<unknown>
  /** Resolves when nothing of `takeNow` and `giveBack` is under way. */
  idle(): Promise<void>
}
/** What a request does with a window before its own work. */
export type CountedWindow = Pick<ExactWindow, 'refuseEarly' | 'takeNow' | 'giveBack' | 'idle'>
export type OpenWindows = {
  /** Throws 429 when the window is full. */
  check(place: CountedPlace): void
  /** Counts one accepted request. */
  take(place: CountedPlace): void
  /** Removes one request that was accepted at this time. */
  giveBack(place: CountedPlace, acceptedMs: number): void
  /** Counts so many more at this time, or fewer when below zero. */
  change(place: CountedPlace, by: { atMs: number; count: number }): void
  /** How many more fit now. */
  free(place: CountedPlace): number
  /** For the last flush of the batch. */
  writes(): Call[]
}

/**
 * What this process last wrote or read of a merchant. If the row is unchanged it is not parsed again. `made`: its row was
 * there before the transaction that read it, so it need not be made.
 */
type KnownWindow = { text: string | null; window: Window; made: boolean }
type Frame = { what: string; shape: Shape; known: Map<string, KnownWindow> }
/** A place to be taken, or given back. */
type Ask = { place: CountedPlace; atMs: number; back: boolean }

const MOST_KNOWN = 10_000
const UNLIMITED: OpenWindows = {
  check: () => {},
  take: () => {},
  giveBack: () => {},
  change: () => {},
  free: () => Number.POSITIVE_INFINITY,
  writes: () => [],
}
/** For work that no limit counts, or whose limit is switched off. */
export const NOT_COUNTED: ExactWindow = {
  refuseEarly: () => {},
  lock: () => [],
  open: () => UNLIMITED,
  takeNow: async (_place, nowMs) => nowMs,
  giveBack: async () => {},
  idle: async () => {},
}

/** `limit` a minute for each merchant and mode; 0 switches it off. */
export function exactWindow({ what, limit, db }: { what: string; limit: number; db: Database }): ExactWindow {
  if (limit === 0) return NOT_COUNTED
  const frame: Frame = { what, shape: shapeOf(limit, MINUTE_MS), known: new Map() }
  const { shape, known } = frame
  const window: Pick<ExactWindow, 'lock' | 'open'> = {
    lock: (places) => lock(frame, places),
    open: (answers, nowMs) => openWindows(frame, (answers.at(-1) ?? []) as readonly WindowRow[], nowMs),
  }
  const asking: Batch<Ask, number> = batch({
    run: (asks, turn) => answerAsks({ db, window, turn }, asks),
    laneOf: ({ place }) => place.merchantId,
  })
  return {
    ...window,
    refuseEarly: (place, nowMs) => {
      const mine = known.get(keyOf(place))?.window
      if (mine !== undefined && mine.total >= shape.limit) refuseFull(mine, shape, nowMs)
    },
    takeNow: (place, nowMs) => asking.add({ place, atMs: nowMs, back: false }),
    giveBack: (place, acceptedMs) => {
      const mine = known.get(keyOf(place))
      // From now on this process refuses by the new count; the row follows. A copy, because a batch may be writing the
      // original.
      if (mine)
        known.set(keyOf(place), { ...mine, text: null, window: without(mine.window, shape, acceptedMs) })
      return asking.add({ place, atMs: acceptedMs, back: true })
    },
    idle: () => asking.idle(),
  }
}

function lock({ what, known }: Frame, places: readonly CountedPlace[]): Call<WindowRow>[] {
  const sorted = [...places].sort(inLockOrder)
  const missing = sorted.filter((place) => known.get(keyOf(place))?.made !== true)
  return [...(missing.length === 0 ? [] : [makeRows(missing, what)]), lockRows(sorted, what)]
}

/** A window within one transaction, with the count at its time, which every item needs. */
type Opened = { place: CountedPlace; window: Window; counted: number; changed: boolean }

function openWindows(frame: Frame, rows: readonly WindowRow[], nowMs: number): OpenWindows {
  const { shape } = frame
  const opened = new Map(rows.map((row) => [keyOf(row), openRow(frame, row, nowMs)]))
  const openedOf = (place: CountedPlace) => {
    const found = opened.get(keyOf(place)) ?? openMissing(frame, place)
    opened.set(keyOf(place), found)
    return found
  }
  return {
    check(place) {
      const { counted, window } = openedOf(place)
      if (counted >= shape.limit) refuseFull(window, shape, nowMs)
    },
    take(place) {
      const mine = openedOf(place)
      addTo(mine.window, shape, nowMs)
      mine.counted += 1
      mine.changed = true
    },
    giveBack(place, acceptedMs) {
      this.change(place, { atMs: acceptedMs, count: -1 })
    },
    change(place, { atMs, count }) {
      const mine = openedOf(place)
      if (count > 0) addTo(mine.window, shape, atMs, count)
      else takeFrom(mine.window, shape, atMs, -count)
      mine.counted = countedIn(mine.window, shape, nowMs)
      mine.changed = true
    },
    free: (place) => shape.limit - openedOf(place).counted,
    writes: () => {
      const changed = [...opened.values()].filter((one) => one.changed)
      return changed.length === 0 ? [] : [write(frame, changed)]
    },
  }
}

function openRow({ shape, known }: Frame, row: WindowRow, nowMs: number): Opened {
  const key = keyOf(row)
  const before = known.get(key)
  const window = before?.text === row.accepted ? before.window : readWindow(row.accepted)
  forgetOld(window, shape, nowMs)
  // A row that this transaction inserted disappears if the transaction fails.
  const made = row.accepted !== ''
  remember(known, { key, value: { text: row.accepted, window, made }, most: MOST_KNOWN })
  // A copy: if the transaction fails, the row and what is remembered of it are as they were.
  return { place: row, window: copyOf(window), counted: countedIn(window, shape, nowMs), changed: false }
}

/** After a crash of the database the windows start empty: the next batch makes the row anew. */
function openMissing({ known }: Frame, place: CountedPlace): Opened {
  known.delete(keyOf(place))
  return { place, window: emptyWindow(), counted: 0, changed: false }
}

/** In the order in which every process locks them. */
function write({ what, known }: Frame, opened: Opened[]): Call {
  opened.sort((a, b) => inLockOrder(a.place, b.place))
  const texts = opened.map(({ place, window }) => {
    const text = writeWindow(window)
    const mine = known.get(keyOf(place))
    if (mine) Object.assign(mine, { text, window })
    return text
  })
  return writeRows(
    opened.map(({ place }) => place),
    what,
    texts,
  )
}

/** Gives places back first, because others in the batch may need them. */
function answerAsks(
  { db, window, turn }: { db: Database; window: Pick<ExactWindow, 'lock' | 'open'>; turn: RunTurn },
  asks: readonly Ask[],
): Promise<Outcome<number>[]> {
  const places = new Map(asks.map(({ place }) => [keyOf(place), place]))
  const nowMs = Math.max(...asks.map(({ atMs }) => atMs))
  return db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
    const open = window.open(await tx.send(...window.lock([...places.values()])), nowMs)
    for (const { place, atMs, back } of asks) if (back) open.giveBack(place, atMs)
    const outcomes = asks.map((ask) => (ask.back ? done(ask.atMs) : takeOne(open, ask, nowMs)))
    return { value: outcomes, last: open.writes() }
  })
}

function takeOne(open: OpenWindows, { place }: Ask, nowMs: number): Outcome<number> {
  try {
    open.check(place)
    open.take(place)
    return done(nowMs)
  } catch (error) {
    return failed(error)
  }
}

const copyOf = (window: Window): Window => ({
  ...window,
  slots: [...window.slots],
  counts: [...window.counts],
})

function without(window: Window, shape: Shape, acceptedMs: number): Window {
  const copy = copyOf(window)
  takeFrom(copy, shape, acceptedMs)
  return copy
}

function refuseFull(window: Window, shape: Shape, nowMs: number): void {
  const waitMs = waitForPlace(window, shape, nowMs)
  if (waitMs > 0) throw tooMany(waitMs)
}
