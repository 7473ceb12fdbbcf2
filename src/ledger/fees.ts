import { assert } from '../platform/assert.ts'

/**
 * The tariff of charges and payouts, in whole UGX (contract 3 l). All code, SQL and texts of the product read it here, but two holders
 * cannot:
 *
 * - The database: `fee_is_the_formula` of charges (migrations/cell/0003_charges.sql) and of payouts (0006_payouts.sql) refuses any other
 *   fee, and `payouts_fee_to_return_check` (0006) refuses to return more than FEE_MAX.
 * - The explanation of `fee_exceeds_amount` in api/http/openapi/error-codes.ts, which may not import this folder; fees.test.ts compares it.
 *
 * A new tariff begins on a day, and rows that were created before keep their fee: a migration replaces those CHECKs by ones that choose the
 * formula by `created_at`; chargeFee and feeSql choose it in the same way, by a time that their callers pass; invariant C3 of verify
 * follows, because it uses feeSql.
 */
const FEE_PER_MILLE = 15
export const FEE_MIN = 200
export const FEE_MAX = 5000

/** The share as people write it, in percent: `1.5`. */
export const FEE_PERCENT = String(FEE_PER_MILLE / 10)
/** The smallest amount of a charge that leaves the merchant something. */
export const MIN_CHARGE_AMOUNT = FEE_MIN + 1

// From this amount on the fee is the maximum. Cutting the amount here first keeps the product exact for every safe integer.
const FEE_MAX_FROM_AMOUNT = Math.ceil((FEE_MAX * 1000) / FEE_PER_MILLE)

/**
 * Computes the fee on a charge in whole UGX: min(max(floor(amount x 15 / 1000), 200), 5000) (contract 3 l).
 * Only the part paid by mobile money counts, so a charge that a gift card covers in full has no fee (3 k).
 */
export function chargeFee(paidByMobileMoney: number): number {
  assert(Number.isSafeInteger(paidByMobileMoney) && paidByMobileMoney >= 0, 'an amount is whole UGX, never negative')
  if (paidByMobileMoney === 0) return 0
  const product = Math.min(paidByMobileMoney, FEE_MAX_FROM_AMOUNT) * FEE_PER_MILLE
  const share = (product - (product % 1000)) / 1000
  return Math.min(Math.max(share, FEE_MIN), FEE_MAX)
}

/** Computes the fee on a payout in whole UGX, by the formula of chargeFee; it is paid on top of the amount (contract 3 l). */
export function payoutFee(amount: number): number {
  assert(amount > 0, 'a payout has an amount')
  return chargeFee(amount)
}

/**
 * The largest amount that a balance pays out together with its fee, in whole UGX; 0 where it does not even cover the smallest fee. The
 * fee never falls as the amount grows, so it is found by halving.
 */
export function largestPayout(balance: number): number {
  let [low, high] = [0, Math.max(0, balance)]
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2)
    if (middle + payoutFee(middle) <= balance) low = middle
    else high = middle - 1
  }
  return low
}

/** The formula as SQL, for an amount above 0 that is an SQL expression. As `numeric`, so that it is exact for every bigint. */
export const feeSql = (amount: string) =>
  `least(greatest(floor((${amount})::numeric * ${FEE_PER_MILLE} / 1000), ${FEE_MIN}), ${FEE_MAX})`
