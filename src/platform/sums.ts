/**
 * A total over many amounts, in whole UGX. One amount always fits into a number; the turnover of years may not, and only then the total
 * is a bigint.
 */
export type Sum = number | bigint

/** Adds these exactly. Returns a number wherever a number holds the sum exactly. */
export function sumOf(...parts: readonly Sum[]): Sum {
  let quick = 0
  for (const part of parts) {
    if (typeof part === 'bigint') return exact(parts)
    quick += part
    if (!Number.isSafeInteger(quick)) return exact(parts)
  }
  return quick
}

/** Returns the amount with the opposite sign. */
export const minus = (amount: Sum): Sum => -amount

function exact(parts: readonly Sum[]): Sum {
  let total = 0n
  for (const part of parts) total += BigInt(part)
  return narrowed(total)
}

/** Parses a whole number from its digits: a number where that is exact, else a bigint. */
export function readSum(digits: string): Sum {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

const narrowed = (total: bigint): Sum => {
  const value = Number(total)
  return Number.isSafeInteger(value) ? value : total
}
