/** Merges sorted lists: returns the first `limit` rows of all of them together, and how many rows each list gave (`taken`). */
export function mergeSorted<Row>(
  lists: readonly (readonly Row[])[],
  { limit, comesFirst }: { limit: number; comesFirst(a: Row, b: Row): boolean },
): { rows: Row[]; taken: number[] } {
  const taken = lists.map(() => 0)
  const rows: Row[] = []
  while (rows.length < limit) {
    let first: { index: number; row: Row } | null = null
    for (const [index, list] of lists.entries()) {
      const row = list[taken[index] ?? 0]
      if (row !== undefined && (first === null || comesFirst(row, first.row))) first = { index, row }
    }
    if (first === null) break
    rows.push(first.row)
    taken[first.index] = (taken[first.index] ?? 0) + 1
  }
  return { rows, taken }
}
