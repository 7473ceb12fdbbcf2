/** Amounts around the points where the fee changes, each with its fee (contract.md 3 l). */
export const FEE_EDGES: readonly [number, number][] = [
  [1, 200],
  [200, 200],
  [13_333, 200],
  [13_399, 200],
  [13_400, 201],
  [50_000, 750],
  [333_333, 4999],
  [333_334, 5000],
]
