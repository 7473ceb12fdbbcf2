// Positions within a segment, ascending, two bytes each (decision 50).

/** How many payments a segment has at most. */
export const SEGMENT = 65_536

/** Positions as bytes. They ascend. */
export function written(positions: readonly number[]): Buffer {
  const bytes = Buffer.alloc(positions.length * 2)
  positions.forEach((position, nth) => void bytes.writeUInt16BE(position, nth * 2))
  return bytes
}

/** What all of these lists have, the highest position first. There is at least one list. */
export function inAll(lists: readonly Buffer[]): number[] {
  const [shortest, ...others] = [...lists].sort((a, b) => a.length - b.length)
  let found: number[] = []
  for (let at = (shortest?.length ?? 0) - 2; shortest && at >= 0; at -= 2)
    found.push(positionAt(shortest, at))
  for (const list of others) found = keptBy(found, list)
  return found
}

/** Those of these positions, which descend, that a list has too. */
function keptBy(positions: readonly number[], list: Buffer): number[] {
  const kept: number[] = []
  let at = list.length - 2
  for (const position of positions) {
    while (at >= 0 && positionAt(list, at) > position) at -= 2
    if (at < 0) break
    if (positionAt(list, at) === position) kept.push(position)
  }
  return kept
}

// Both bytes are there: lists have an even length. A search reads a million of them, so no reader with its checks stands between.
const positionAt = (list: Buffer, at: number): number => ((list[at] ?? 0) << 8) | (list[at + 1] ?? 0)
