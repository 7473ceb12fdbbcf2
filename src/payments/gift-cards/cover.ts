import { assert } from '../../platform/assert.ts'

/** `applied`: the part of an amount that a card pays. `due`: the part left for mobile money. `kept`: what stays on the card. Whole UGX. */
export type Cover = { applied: number; due: number; kept: number }

// The fee is 200: the merchant would get nothing of a smaller payment.
const MIN_DUE = 201

/**
 * Divides an amount between a card and mobile money, which can pay no less than `leastDue` (contract.md 3 k). If the
 * remainder would be too small to pay, the card pays less; if the card then pays nothing (`applied` 0), it cannot be used for this amount.
 */
export function splitCover(amount: number, balance: number, leastDue: number): Cover {
  assert(amount > 0 && balance >= 0, 'a price is above 0 and a balance is not below it')
  const applied = appliedAmount(amount, balance, Math.max(leastDue, MIN_DUE))
  return { applied, due: amount - applied, kept: balance - applied }
}

function appliedAmount(amount: number, balance: number, leastDue: number): number {
  if (balance >= amount) return amount
  return Math.max(0, Math.min(balance, amount - leastDue))
}
