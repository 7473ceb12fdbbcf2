import { type ItemOutcome, itemDone } from '../../../src/platform/batches/batch-run.ts'

export type Item = { lane: number; value: number; bad?: boolean }
export const item = (value: number, lane = 0): Item => ({ lane, value })
export const doubled = async (items: readonly Item[]) => items.map(({ value }) => itemDone(value * 2))
export const laneOf = ({ lane }: Item) => lane

/** A run that stays in progress until the test releases it; `letGo(1)` lets the second one go. */
export function held() {
  const sizes: number[] = []
  const waiting: (() => void)[] = []
  const run = async (items: readonly Item[]): Promise<ItemOutcome<number>[]> => {
    sizes.push(items.length)
    await new Promise<void>((resolve) => waiting.push(resolve))
    return doubled(items)
  }
  return { run, sizes, letGo: (nth = 0) => waiting.splice(nth, 1)[0]?.(), underWay: () => waiting.length }
}

/** One turn of the event loop. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))
export async function turns(): Promise<void> {
  for (let nth = 0; nth < 5; nth += 1) await turn()
}
