import { type Batch, batch } from '../platform/batch.ts'
import { done, failed, type Outcome, type RunTurn } from '../platform/batch-run.ts'
import type { Call, Database } from '../platform/db/database.ts'
import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'
import { MINUTE_MS } from './limits.ts'
import { remember } from './oldest-out.ts'
import { copyOf, type Frame, type OpenWindows, openWindows, refuseFull } from './open-windows.ts'
import { type Shape, shapeOf, takeFrom, type Window } from './window.ts'
import { inLockOrder, lockRows, makeRows, type WindowRow } from './window-rows.ts'

/**
 * A sliding window over all processes: never more than `limit` accepted in any 60 s. Its counts are read, locked and
 * written in the transaction of the work they count, so no request makes a round trip for them; work without such a
 * transaction is counted in one of its own.
 */
export type ExactWindow = {
  /** Refuses (429) what this process already knows to be over the limit, before anything else is checked. */
  refuseEarly(place: MerchantMode, nowMs: number): void
  /** For the first flush of the batch: locks the windows of these merchants. Empty when the limit is off. */
  lock(places: readonly MerchantMode[]): Call<WindowRow>[]
  /** Opens the locked windows from the answers to the calls of `lock`. */
  open(answers: readonly (readonly unknown[])[], nowMs: number): OpenWindows
  /** Takes a place at once, in a transaction of its own, and says as of when. Throws 429. */
  takeNow(place: MerchantMode, nowMs: number): Promise<number>
  /** Gives back the place of a request that was accepted at this time and refused after all. */
  giveBack(place: MerchantMode, acceptedMs: number): Promise<unknown>
  /** Resolves when nothing of `takeNow` and `giveBack` is under way. */
  idle(): Promise<void>
}
/** What a request does with a window before its own work. */
export type CountedWindow = Pick<ExactWindow, 'refuseEarly' | 'takeNow' | 'giveBack' | 'idle'>
/** A place to be taken, or given back. */
type Ask = { place: MerchantMode; atMs: number; back: boolean }

const MOST_SHAPES = 1000

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

/** `limit` a minute for each merchant and mode that is granted no other; 0 switches it off for everybody. */
export type WindowLimits = { limit: number; grantedTo?: (merchantId: number) => number | undefined }

export function exactWindow({
  what,
  db,
  ...limits
}: WindowLimits & { what: string; db: Database }): ExactWindow {
  if (limits.limit === 0) return NOT_COUNTED
  const frame: Frame = { what, shapeFor: shapesFor(limits), known: new Map() }
  const { shapeFor, known } = frame
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
      const mine = known.get(merchantModeKey(place))?.window
      if (mine === undefined) return
      const shape = shapeFor(place)
      if (mine.total >= shape.limit) refuseFull(mine, shape, nowMs)
    },
    takeNow: (place, nowMs) => asking.add({ place, atMs: nowMs, back: false }),
    giveBack: (place, acceptedMs) => {
      const mine = known.get(merchantModeKey(place))
      // From now on this process refuses by the new count; the row follows. A copy, because a batch may be writing the
      // original.
      if (mine)
        known.set(merchantModeKey(place), {
          ...mine,
          text: null,
          window: without(mine.window, shapeFor(place), acceptedMs),
        })
      return asking.add({ place, atMs: acceptedMs, back: true })
    },
    idle: () => asking.idle(),
  }
}

/**
 * The shape of each merchant's window. A limit that passes the border between exact and wide slots begins with an empty window: what was
 * counted in slots of the other width is dropped as what a wrong clock has written.
 */
function shapesFor({ limit, grantedTo = () => undefined }: WindowLimits): (place: MerchantMode) => Shape {
  const usual = shapeOf(limit, MINUTE_MS)
  const granted = new Map<number, Shape>()
  return ({ merchantId }) => {
    const own = grantedTo(merchantId)
    if (own === undefined) return usual
    const shape = granted.get(own) ?? shapeOf(own, MINUTE_MS)
    remember(granted, { key: own, value: shape, most: MOST_SHAPES })
    return shape
  }
}

function lock({ what, known }: Frame, places: readonly MerchantMode[]): Call<WindowRow>[] {
  const sorted = [...places].sort(inLockOrder)
  const missing = sorted.filter((place) => known.get(merchantModeKey(place))?.made !== true)
  return [...(missing.length === 0 ? [] : [makeRows(missing, what)]), lockRows(sorted, what)]
}

/** Gives places back first, because others in the batch may need them. */
function answerAsks(
  { db, window, turn }: { db: Database; window: Pick<ExactWindow, 'lock' | 'open'>; turn: RunTurn },
  asks: readonly Ask[],
): Promise<Outcome<number>[]> {
  const places = new Map(asks.map(({ place }) => [merchantModeKey(place), place]))
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

function without(window: Window, shape: Shape, acceptedMs: number): Window {
  const copy = copyOf(window)
  takeFrom(copy, shape, acceptedMs)
  return copy
}
