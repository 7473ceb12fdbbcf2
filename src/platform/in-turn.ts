/** A list that lies in several places, each in the order of the whole: the first rows of all, and how many of them each place gave. */
export function inTurn<Row>(
  places: readonly (readonly Row[])[],
  { limit, comesFirst }: { limit: number; comesFirst(one: Row, other: Row): boolean },
): { rows: Row[]; taken: number[] } {
  const taken = places.map(() => 0)
  const rows: Row[] = []
  while (rows.length < limit) {
    let first: { place: number; row: Row } | null = null
    for (const [place, own] of places.entries()) {
      const row = own[taken[place] ?? 0]
      if (row !== undefined && (first === null || comesFirst(row, first.row))) first = { place, row }
    }
    if (first === null) break
    rows.push(first.row)
    taken[first.place] = (taken[first.place] ?? 0) + 1
  }
  return { rows, taken }
}
