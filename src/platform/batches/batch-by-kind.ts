import type { Batch } from './batch.ts'

/** Several batches behind one interface, for kinds of items that must never share a transaction. */
export function batchByKind<Item, Result, Kind extends string | number>(
  batches: Readonly<Record<Kind, Batch<Item, Result>>>,
  kindOf: (item: Item) => Kind,
): Batch<Item, Result> {
  const each = Object.values(batches) as Batch<Item, Result>[]
  return {
    add: (item) => batches[kindOf(item)].add(item),
    waiting: () => each.reduce((sum, batch) => sum + batch.waiting(), 0),
    expectedMs: () => Math.max(...each.map((batch) => batch.expectedMs())),
    behindMs: (later) => Math.max(...each.map((batch) => batch.behindMs(later))),
    idle: async () => {
      await Promise.all(each.map((batch) => batch.idle()))
    },
    onRun: (listener) => {
      for (const batch of each) batch.onRun(listener)
    },
  }
}
