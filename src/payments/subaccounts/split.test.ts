import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { calculateShare, resolveSplit, type SubaccountStatuses } from './split.ts'

const seed = randomInt(2 ** 31)
console.log(`split.test.ts seed ${seed}`)

const known: SubaccountStatuses = new Map(Array.from({ length: 20 }, (_, index) => [`sub_${index}`, 'active'] as const))

test('the example of the contract: 10000 with 3000 and 25 % leaves 4350', () => {
  const parts = resolveSplit(
    [
      { subaccount: 'sub_0', amount: 3000 },
      { subaccount: 'sub_1', bps: 2500 },
    ],
    9800,
    known,
  )
  deepEqual(parts, [
    { subaccountId: 'sub_0', amount: 3000 },
    { subaccountId: 'sub_1', amount: 2450 },
  ])
})

test('a share in basis points is rounded down', () => {
  const cases: [net: number, bps: number, share: number][] = [
    [1, 10_000, 1],
    [1, 9999, 0],
    [9999, 1, 0],
    [10_000, 1, 1],
    [19_999, 1, 1],
    [4801, 3333, 1600],
    [3, 5000, 1],
    [Number.MAX_SAFE_INTEGER, 10_000, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 9999, 9_006_298_534_815_516],
  ]
  for (const [net, bps, share] of cases) equal(calculateShare(net, bps), share, `${bps} of ${net}`)
})

test('a share in basis points is the formula in exact arithmetic', () => {
  const net = fc.maxSafeNat()
  const bps = fc.integer({ min: 1, max: 10_000 })
  fc.assert(
    fc.property(net, bps, (all, part) =>
      equal(BigInt(calculateShare(all, part)), (BigInt(all) * BigInt(part)) / 10_000n),
    ),
    { seed, numRuns: 5000 },
  )
})

const item = fc.oneof(
  fc.record({ amount: fc.integer({ min: 1, max: 2_000_000 }) }),
  fc.record({ bps: fc.integer({ min: 1, max: 10_000 }) }),
)
const request = fc
  .array(item, { minLength: 1, maxLength: 20 })
  .map((items) => items.map((item, index) => ({ subaccount: `sub_${index}`, ...item })))

test('an accepted split gives every party more than nothing, and all together at most the net', () => {
  let accepted = 0
  const judged = fc.property(request, fc.integer({ min: 1, max: 5_000_000 }), (split, net) => {
    const wanted = split.map((one) => ('amount' in one ? one.amount : Math.floor((net * one.bps) / 10_000)))
    const total = wanted.reduce((sum, amount) => sum + amount, 0)
    if (wanted.includes(0)) return throws(() => resolveSplit(split, net, known), /resolves to zero on net/)
    if (total > net) return throws(() => resolveSplit(split, net, known), /exceeds the net amount/)
    accepted += 1
    const parts = resolveSplit(split, net, known)
    deepEqual(
      parts.map(({ subaccountId }) => subaccountId),
      split.map(({ subaccount }) => subaccount),
    )
    const residual = parts.reduce((rest, { amount }) => rest - amount, net)
    ok(residual >= 0)
    equal(total + residual, net)
  })
  fc.assert(judged, { seed, numRuns: 3000 })
  ok(accepted > 100, `${accepted} splits were accepted`)
})
