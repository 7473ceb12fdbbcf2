// Positions within a segment, ascending, two bytes each (decision 50).

/** The most payments of a segment. */
export const SEGMENT_SIZE = 65_536

/** Encodes positions, which must ascend, as bytes. */
export function encodePositions(positions: readonly number[]): Buffer {
  const bytes = Buffer.alloc(positions.length * 2)
  positions.forEach((position, nth) => void bytes.writeUInt16BE(position, nth * 2))
  return bytes
}

/** The positions that all of these lists contain, the highest first. There must be at least one list. */
export function intersectLists(lists: readonly Buffer[]): number[] {
  const [shortest, ...others] = [...lists].sort((a, b) => a.length - b.length)
  let common: number[] = []
  for (let at = (shortest?.length ?? 0) - 2; shortest && at >= 0; at -= 2) common.push(positionAt(shortest, at))
  for (const list of others) common = keepCommon(common, list)
  return common
}

/** Keeps the positions, which descend, that a list contains too. */
function keepCommon(positions: readonly number[], list: Buffer): number[] {
  const kept: number[] = []
  let at = list.length - 2
  for (const position of positions) {
    while (at >= 0 && positionAt(list, at) > position) at -= 2
    if (at < 0) break
    if (positionAt(list, at) === position) kept.push(position)
  }
  return kept
}

// Both bytes exist, because lists have an even length. A search reads a million of them, so no Buffer method with its checks is used.
const positionAt = (list: Buffer, at: number): number => ((list[at] ?? 0) << 8) | (list[at + 1] ?? 0)
