/** The middle one; of an even number the lower of the two in the middle. */
export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  return known[Math.floor((known.length - 1) / 2)] ?? null
}

/** The value below which this share of the sorted values lies. */
export function percentile(sorted: readonly number[] | Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Rounded for the report; null stays null. */
export function rounded(value: number | null, digits = 3): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toFixed(digits))
}

/** A quotient, or null where one side could not be measured. */
export function ratio(above: number | null, below: number | null): number | null {
  return above === null || below === null || below === 0 ? null : above / below
}

/** The difference of two readings, or null where one could not be taken. */
export function since(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

/** Field by field the median of several rounds. */
export function medians<T extends Record<string, number | null>>(rounds: readonly T[]): T {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, rounded(median(rounds.map((round) => round[name] ?? null)))]),
  ) as T
}
