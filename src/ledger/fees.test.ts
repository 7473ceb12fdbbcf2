import { equal, match, throws } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { FEE_EDGES } from '../../test/helpers/payments/fee-edges.ts'
import { ERROR_CODES } from '../api/http/openapi/error-codes.ts'
import { chargeFee, FEE_MIN, largestPayout, MIN_CHARGE_AMOUNT, payoutFee } from './fees.ts'

const seed = randomInt(2 ** 31)
console.log(`fees.test.ts seed ${seed}`)

test('the fee at each of its limits', () => {
  const cases: readonly [number, number][] = [
    ...FEE_EDGES,
    [0, 0],
    [201, 200],
    [1_000_000_000, 5000],
    [Number.MAX_SAFE_INTEGER, 5000],
  ]
  for (const [amount, fee] of cases) equal(chargeFee(amount), fee, String(amount))
})

test('the fee is the formula of the contract in exact arithmetic', () => {
  const amount = fc.oneof(
    fc.integer({ min: 1, max: 400_000 }),
    fc.maxSafeNat().filter((any) => any > 0),
  )
  fc.assert(
    fc.property(amount, (any) => equal(BigInt(chargeFee(any)), exactFee(BigInt(any)))),
    { seed, numRuns: 5000 },
  )
})

test('the largest payout leaves nothing that could be paid out besides', () => {
  const cases = [
    [-5, 0],
    [0, 0],
    [200, 0],
    [201, 1],
    [10_200, 10_000],
    [13_533, 13_333],
    [338_333, 333_333],
    [1_000_000, 995_000],
  ] as const
  for (const [balance, amount] of cases) equal(largestPayout(balance), amount, String(balance))
  fc.assert(
    fc.property(fc.maxSafeNat(), (balance) => {
      const amount = largestPayout(balance)
      const costs = (one: number) => BigInt(one) + BigInt(one === 0 ? 0 : payoutFee(one))
      equal(costs(amount) <= BigInt(balance) && (amount === balance || costs(amount + 1) > BigInt(balance)), true)
    }),
    { seed, numRuns: 2000 },
  )
})

test('a value that is not an amount throws', () => {
  for (const bad of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) throws(() => chargeFee(bad))
})

test('the text that cannot read the tariff names its least fee', () => {
  const described = ERROR_CODES.fee_exceeds_amount
  match(described?.cause ?? '', new RegExp(`\\bThe fee of ${FEE_MIN} `))
  match(described?.remedy ?? '', new RegExp(`at least ${MIN_CHARGE_AMOUNT}\\.`))
})

function exactFee(amount: bigint): bigint {
  const share = (amount * 15n) / 1000n
  if (share < 200n) return 200n
  return share > 5000n ? 5000n : share
}
