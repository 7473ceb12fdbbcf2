import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type BatchTurn, type ItemOutcome, itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import type { Call, Database } from '../../platform/db/database.ts'
import { type MerchantMode, merchantModeKey } from '../../platform/mode.ts'
import { rememberNewest } from './bounded-map.ts'
import { MINUTE_MS, type WindowState } from './limits.ts'
import { copyWindow, type LimitWindows, type OpenWindows, openLockedWindows, refuseIfFull } from './open-windows.ts'
import { makeShape, type RateWindow, readWindowState, removeRequests, type WindowShape } from './window.ts'
import { compareMerchantModes, lockRows, makeRows, type WindowRow } from './window-rows.ts'

/**
 * A sliding window over all processes: never more than `limit` accepted in any 60 s. Its counts are read, locked and
 * written in the transaction of the work they count, so no request makes a round trip for them; work without such a
 * transaction is counted in one of its own.
 */
export type ExactWindow = {
  /** Refuses (429) what this process already knows to be over the limit, before anything else is checked. */
  refuseEarly(merchantMode: MerchantMode, nowMs: number): void
  /** Locks the windows of these merchants; sent with the first statements of the batch. Empty when the limit is off. */
  lock(merchantModes: readonly MerchantMode[]): Call<WindowRow>[]
  /** Opens the locked windows from the rows that the calls of `lock` returned. */
  open(answers: readonly (readonly unknown[])[], nowMs: number): OpenWindows
  /** Counts a request at once, in a transaction of its own, and returns the time under which it is counted, in ms. Throws 429. */
  takeNow(merchantMode: MerchantMode, nowMs: number): Promise<number>
  /** Removes a request that was accepted at this time and refused after all. */
  giveBack(merchantMode: MerchantMode, acceptedMs: number): Promise<unknown>
  /** What this process knows of the window, as it last read or wrote its row; null where there is no limit. */
  stateOf(merchantMode: MerchantMode, nowMs: number): WindowState | null
  /** Resolves when nothing of `takeNow` and `giveBack` is under way. */
  idle(): Promise<void>
}
/** The part of a window that a request uses before its own work. */
export type CountedWindow = Pick<ExactWindow, 'refuseEarly' | 'takeNow' | 'giveBack' | 'stateOf' | 'idle'>
/** A request to be counted, or with `back` to be removed from the count. */
type CountChange = { merchantMode: MerchantMode; atMs: number; back: boolean }

const MAX_SHAPES = 1000

const UNLIMITED: OpenWindows = {
  check: () => {},
  take: () => {},
  giveBack: () => {},
  change: () => {},
  free: () => Number.POSITIVE_INFINITY,
  writes: () => [],
}
/** The window of work that has no limit, or whose limit is switched off. */
export const NOT_COUNTED: ExactWindow = {
  refuseEarly: () => {},
  lock: () => [],
  open: () => UNLIMITED,
  takeNow: async (_merchantMode, nowMs) => nowMs,
  giveBack: async () => {},
  stateOf: () => null,
  idle: async () => {},
}

/** `limit`: requests a minute for each merchant and mode without a granted rate; 0 switches the limit off for all. */
export type WindowLimits = { limit: number; grantedTo?: (merchantId: number) => number | undefined }

export function newExactWindow({ what, db, ...limits }: WindowLimits & { what: string; db: Database }): ExactWindow {
  if (limits.limit === 0) return NOT_COUNTED
  const frame: LimitWindows = { what, shapeFor: shapesFor(limits), known: new Map() }
  const { shapeFor, known } = frame
  const window: Pick<ExactWindow, 'lock' | 'open'> = {
    lock: (merchantModes) => lockWindows(frame, merchantModes),
    open: (answers, nowMs) => openLockedWindows(frame, (answers.at(-1) ?? []) as readonly WindowRow[], nowMs),
  }
  const changes: Batch<CountChange, number> = newBatch({
    run: (batched, turn) => applyChanges({ db, window, turn }, batched),
    keyOf: ({ merchantMode }) => merchantMode.merchantId,
  })
  return {
    ...window,
    refuseEarly: (merchantMode, nowMs) => {
      const cached = known.get(merchantModeKey(merchantMode))?.window
      if (cached === undefined) return
      const shape = shapeFor(merchantMode)
      if (cached.total >= shape.limit) refuseIfFull(cached, shape, nowMs)
    },
    takeNow: (merchantMode, nowMs) => changes.add({ merchantMode, atMs: nowMs, back: false }),
    giveBack: (merchantMode, acceptedMs) => {
      const cached = known.get(merchantModeKey(merchantMode))
      // From now on this process refuses by the new count; the row follows. A copy, because a batch may be writing the
      // original.
      if (cached)
        known.set(merchantModeKey(merchantMode), {
          ...cached,
          text: null,
          window: withoutRequest(cached.window, shapeFor(merchantMode), acceptedMs),
        })
      return changes.add({ merchantMode, atMs: acceptedMs, back: true })
    },
    stateOf: (merchantMode, nowMs) => {
      const shape = shapeFor(merchantMode)
      const cached = known.get(merchantModeKey(merchantMode))
      if (cached === undefined) return { limit: shape.limit, remaining: null, moreInMs: null }
      return readWindowState(cached.window, shape, nowMs)
    },
    idle: () => changes.idle(),
  }
}

/**
 * Returns the shape of each merchant's window. When a changed limit switches between exact and wide slots, the window starts empty: slot
 * numbers of the other width look like counts of a wrong clock, and are dropped as such.
 */
function shapesFor({ limit, grantedTo = () => undefined }: WindowLimits): (merchantMode: MerchantMode) => WindowShape {
  const usual = makeShape(limit, MINUTE_MS)
  const granted = new Map<number, WindowShape>()
  return ({ merchantId }) => {
    const own = grantedTo(merchantId)
    if (own === undefined) return usual
    const shape = granted.get(own) ?? makeShape(own, MINUTE_MS)
    rememberNewest(granted, { key: own, value: shape, most: MAX_SHAPES })
    return shape
  }
}

function lockWindows({ what, known }: LimitWindows, merchantModes: readonly MerchantMode[]): Call<WindowRow>[] {
  const sorted = [...merchantModes].sort(compareMerchantModes)
  const missing = sorted.filter((merchantMode) => known.get(merchantModeKey(merchantMode))?.made !== true)
  return [...(missing.length === 0 ? [] : [makeRows(missing, what)]), lockRows(sorted, what)]
}

/** Removes requests first, because that may make room for others in the batch. */
function applyChanges(
  { db, window, turn }: { db: Database; window: Pick<ExactWindow, 'lock' | 'open'>; turn: BatchTurn },
  changes: readonly CountChange[],
): Promise<ItemOutcome<number>[]> {
  const merchantModes = new Map(changes.map(({ merchantMode }) => [merchantModeKey(merchantMode), merchantMode]))
  const nowMs = Math.max(...changes.map(({ atMs }) => atMs))
  return db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
    const open = window.open(await tx.send(...window.lock([...merchantModes.values()])), nowMs)
    for (const { merchantMode, atMs, back } of changes) if (back) open.giveBack(merchantMode, atMs)
    const outcomes = changes.map((change) => (change.back ? itemDone(change.atMs) : takeOrRefuse(open, change, nowMs)))
    return { value: outcomes, last: open.writes() }
  })
}

function takeOrRefuse(open: OpenWindows, { merchantMode }: CountChange, nowMs: number): ItemOutcome<number> {
  try {
    open.check(merchantMode)
    open.take(merchantMode)
    return itemDone(nowMs)
  } catch (error) {
    return itemFailed(error)
  }
}

function withoutRequest(window: RateWindow, shape: WindowShape, acceptedMs: number): RateWindow {
  const copy = copyWindow(window)
  removeRequests(copy, shape, acceptedMs)
  return copy
}
