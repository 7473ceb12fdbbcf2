import { assert } from '../platform/assert.ts'

const PER_MILLE = 15 // 1.5 %
const LEAST = 200
const MOST = 5000
// From here on the fee is MOST. Cutting the amount here first keeps the product exact for every safe integer.
const MOST_FROM = Math.ceil((MOST * 1000) / PER_MILLE)

/**
 * The fee on a charge in whole UGX: min(max(floor(amount x 15 / 1000), 200), 5000) (contract 3 l).
 * It is taken on what is paid by mobile money only, so a charge that a gift card covers whole costs nothing (3 k).
 */
export function chargeFee(paidByMobileMoney: number): number {
  assert(
    Number.isSafeInteger(paidByMobileMoney) && paidByMobileMoney >= 0,
    'an amount is whole UGX, never negative',
  )
  if (paidByMobileMoney === 0) return 0
  const product = Math.min(paidByMobileMoney, MOST_FROM) * PER_MILLE
  const share = (product - (product % 1000)) / 1000
  return Math.min(Math.max(share, LEAST), MOST)
}

/** The fee on a payout in whole UGX: the same formula, on top of the amount (contract 3 l). */
export function payoutFee(amount: number): number {
  assert(amount > 0, 'a payout has an amount')
  return chargeFee(amount)
}
