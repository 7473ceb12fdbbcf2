import { assert } from '../platform/assert.ts'

const FEE_PER_MILLE = 15 // 1.5 %
const FEE_MIN = 200
const FEE_MAX = 5000
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
