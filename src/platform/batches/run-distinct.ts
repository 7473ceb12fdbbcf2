import type { ItemOutcome } from './batch-run.ts'

type RunItems<Item, Result> = (items: readonly Item[], isWhole: boolean) => Promise<ItemOutcome<Result>[]>

/**
 * Runs items so that no run contains two with the same name: the first item of each name in the first run, the others in later runs.
 * Returns the outcomes in the order of the items. `isWhole`: this run has all items. Only such a run may wait briefly for locks and be
 * tried again as a whole, because after several runs the committed ones must not run again.
 */
export async function runDistinct<Item, Result>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  run: RunItems<Item, Result>,
): Promise<ItemOutcome<Result>[]> {
  if (new Set(items.map(nameOf)).size === items.length) return run(items, true)
  return runInRounds(items, nameOf, (distinct) => run(distinct, false))
}

async function runInRounds<Item, Result>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<ItemOutcome<Result>[]>,
): Promise<ItemOutcome<Result>[]> {
  const firsts = new Map<string, Item>()
  for (const item of items) if (!firsts.has(nameOf(item))) firsts.set(nameOf(item), item)
  const first = [...firsts.values()]
  const outcomes = new Map((await run(first)).map((outcome, index) => [first[index] as Item, outcome]))
  const repeats = items.filter((item) => !outcomes.has(item))
  const later = repeats.length === 0 ? [] : await runInRounds(repeats, nameOf, run)
  for (const [index, item] of repeats.entries()) outcomes.set(item, later[index] as ItemOutcome<Result>)
  return items.map((item) => outcomes.get(item) as ItemOutcome<Result>)
}
