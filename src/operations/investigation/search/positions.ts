// Positions within a segment, ascending, two bytes each (decision 50).

/** The most payments of a segment. */
export const SEGMENT_SIZE = 65_536

/** Encodes positions, which must ascend, as bytes. */
export function encodePositions(positions: readonly number[]): Buffer {
  const bytes = Buffer.alloc(positions.length * 2)
  positions.forEach((position, nth) => void bytes.writeUInt16BE(position, nth * 2))
  return bytes
}

// One bit for each position of the list at hand. No call waits while it is in use, and leaves it empty.
const marked = new Uint32Array(SEGMENT_SIZE / 32)

/** The positions that all of these lists contain, the highest first. There must be at least one list. */
export function intersectLists(lists: readonly Buffer[]): number[] {
  const [shortest, next, ...others] = [...lists].sort((a, b) => a.length - b.length)
  if (shortest === undefined) return []
  const common = intersectTwo(shortest, next ?? shortest)
  // Two leave few positions, which are looked up in the others.
  return others.reduce((left, list) => left.filter((position) => contains(list, position)), common)
}

function intersectTwo(list: Buffer, other: Buffer): number[] {
  const common: number[] = []
  for (let at = 0; at < list.length; at += 2) mark(positionAt(list, at))
  for (let at = other.length - 2; at >= 0; at -= 2) {
    const position = positionAt(other, at)
    if (isMarked(position)) common.push(position)
  }
  marked.fill(0)
  return common
}

function mark(position: number): void {
  marked[position >> 5] = (marked[position >> 5] as number) | (1 << (position & 31)) // Positions are below SEGMENT_SIZE.
}

const isMarked = (position: number): boolean => ((marked[position >> 5] as number) & (1 << (position & 31))) !== 0

function contains(list: Buffer, position: number): boolean {
  let from = 0
  let until = list.length / 2
  while (from < until) {
    const middle = (from + until) >> 1
    if (positionAt(list, middle * 2) < position) from = middle + 1
    else until = middle
  }
  return from * 2 < list.length && positionAt(list, from * 2) === position
}

// Both bytes exist, because lists have an even length. A search reads a million of them, so no Buffer method with its checks is used.
const positionAt = (list: Buffer, at: number): number => ((list[at] as number) << 8) | (list[at + 1] as number)
