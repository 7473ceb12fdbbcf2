import { DatabaseAway, isLockTimeout } from '../db/errors.ts'
import { addBatchRun, newTimeSpent, trackTimeFor } from '../log/spent.ts'
import { beginSpan, isTracing, type Span } from '../log/tracing.ts'
import { crashPoint } from '../processes/crash-point.ts'
import { unavailable } from '../refusal.ts'
import type { WaitingItem } from './batch-lane.ts'

/** The result of one item of a batch: its value, or its own error. */
export type ItemOutcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown }

export const itemDone = <Result>(value: Result): ItemOutcome<Result> => ({ ok: true, value })
export const itemFailed = (error: unknown): ItemOutcome<never> => ({ ok: false, error })

/**
 * How a run's transaction waits for locks (db/database.ts): briefly when its items are of several keys, as usual when they are of
 * one key (`of`).
 */
export type BatchTurn = { hurry: true } | { hurry: false; of: number }

// Items that run one by one after a failed batch get this much time together; the rest are refused with 503 and can be repeated.
const ONE_BY_ONE_MS = 3000

type SettleOptions<Item, Result> = {
  run(items: readonly Item[], turn: BatchTurn): Promise<ItemOutcome<Result>[]>
  turn: BatchTurn
  /** Runs the items of a failed batch again. */
  retry(waiting: readonly WaitingItem<Item, Result>[]): Promise<void>
}

/** Runs the items and settles all of them. When a hurried run met a lock, settles none and returns the error; else returns null. */
export async function settleBatch<Item, Result>(
  waiting: readonly WaitingItem<Item, Result>[],
  { run, turn, retry }: SettleOptions<Item, Result>,
): Promise<unknown> {
  const items = waiting.map(({ item }) => item)
  try {
    const outcomes = await run(items, turn)
    for (const [index, entry] of waiting.entries()) settleItem(entry, outcomes[index])
    return null
  } catch (error) {
    if (turn.hurry && isLockTimeout(error)) return error
    if (waiting.length === 1 || error instanceof DatabaseAway) {
      for (const { reject } of waiting) reject(error)
      return null
    }
    const started = performance.now()
    for (const entry of waiting)
      if (performance.now() - started < ONE_BY_ONE_MS) await retry([entry])
      else entry.reject(unavailable())
    return null
  }
}

function settleItem<Item, Result>(entry: WaitingItem<Item, Result>, outcome: ItemOutcome<Result> | undefined): void {
  if (outcome === undefined) entry.reject(new Error('a batch answered fewer items than it was given'))
  else if (outcome.ok) entry.resolve(outcome.value)
  else entry.reject(outcome.error)
}

/** Runs the work of these items, and reports its duration to the listeners and to the requests that waited. Returns it in ms. */
export async function timeRun<Item, Result>(
  { listeners }: { listeners: readonly ((size: number, ms: number) => void)[] },
  items: readonly WaitingItem<Item, Result>[],
  work: () => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  const span = beginRun(items)
  crashPoint('batch.collected')
  await (span === null ? work() : trackTimeFor({ ...newTimeSpent(), span }, work))
  span?.end()
  const ms = performance.now() - startedAt
  addBatchRun(items, { startedAt, ms })
  for (const listener of listeners) listener(items.length, ms)
  return ms
}

/** Begins the span of a run: a part of the first request that it carries and is recorded, linked with all of them. */
function beginRun(items: readonly Pick<WaitingItem<unknown, unknown>, 'spent'>[]): Span | null {
  if (!isTracing()) return null
  const carried = [...new Set(items.flatMap(({ spent }) => spent?.span ?? []))]
  const [first] = carried
  if (first === undefined) return null
  const attributes = { 'gateway.items': items.length, 'gateway.items_recorded': carried.length }
  const span = beginSpan('batch', { kind: 'internal', parent: first, attributes })
  for (const request of carried) {
    if (span === null) break
    request.link(span)
    if (request !== first) span.link(request)
  }
  return span
}
