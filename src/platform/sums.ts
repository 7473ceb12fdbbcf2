/**
 * A total over many amounts, in whole UGX. One amount always fits into a number; the turnover of years may not, and only then the total
 * is a bigint.
 */
export type ExactSum = number | bigint

/** Adds these exactly. Returns a number wherever a number holds the sum exactly. */
export function addSums(...parts: readonly ExactSum[]): ExactSum {
  let quick = 0
  for (const part of parts) {
    if (typeof part === 'bigint') return addAsBigints(parts)
    quick += part
    if (!Number.isSafeInteger(quick)) return addAsBigints(parts)
  }
  return quick
}

/** Returns the amount with the opposite sign. */
export const negate = (amount: ExactSum): ExactSum => -amount

function addAsBigints(parts: readonly ExactSum[]): ExactSum {
  let total = 0n
  for (const part of parts) total += BigInt(part)
  return toNumberIfExact(total)
}

/** Parses a whole number from its digits: a number where that is exact, else a bigint. */
export function parseSum(digits: string): ExactSum {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

const toNumberIfExact = (total: bigint): ExactSum => {
  const value = Number(total)
  return Number.isSafeInteger(value) ? value : total
}
