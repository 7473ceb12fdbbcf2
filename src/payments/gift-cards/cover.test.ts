import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { splitCover } from './cover.ts'

test('examples of what a card pays of an amount', () => {
  for (const [amount, balance, applied, due] of [
    [10_000, 4000, 4000, 6000],
    [300, 250, 99, 201],
    [5000, 8000, 5000, 0],
    [5000, 5000, 5000, 0],
    [5000, 4999, 4799, 201],
    [5000, 4800, 4799, 201],
    [5000, 4799, 4799, 201],
    [5000, 4798, 4798, 202],
    [202, 1, 1, 201],
    [202, 201, 1, 201],
    [201, 100, 0, 201],
    [201, 201, 201, 0],
    [150, 100, 0, 150],
    [5000, 0, 0, 5000],
  ] as const)
    assert.deepEqual(
      splitCover(amount, balance, 1),
      { applied, due, kept: balance - applied },
      `${amount} with a card of ${balance}`,
    )
})

test('what is left to pay is never less than the operator collects, as long as the price is not', () => {
  for (const [amount, balance, applied, due] of [
    [10_000, 9700, 9500, 500],
    [10_000, 9500, 9500, 500],
    [10_000, 9499, 9499, 501],
    [10_000, 10_000, 10_000, 0],
    [501, 400, 1, 500],
    [500, 400, 0, 500],
    [300, 250, 0, 300],
    [300, 300, 300, 0],
  ] as const)
    assert.deepEqual(splitCover(amount, balance, 500), { applied, due, kept: balance - applied })
})

test('for any amount and card: the rest can be paid, and nothing is lost or overdrawn', (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const small = fc.integer({ min: 201, max: 1000 })
  const amount = fc.oneof(small, fc.integer({ min: 201, max: Number.MAX_SAFE_INTEGER }))
  const balance = fc.oneof(fc.nat(1000), fc.maxSafeNat())
  const operators = fc.integer({ min: 1, max: 201 })
  fc.assert(
    fc.property(amount, balance, operators, (price, held, leastDue) => {
      const { applied, due, kept } = splitCover(price, held, leastDue)
      assert.equal(applied + due, price)
      assert.equal(applied + kept, held)
      assert.ok(applied >= 0 && kept >= 0 && due >= 0)
      assert.ok(due === 0 || due >= 201, `${due} could not be paid`)
      assert.equal(due === 0, held >= price, 'mobile money is asked for exactly when the card is too small')
      assert.ok(due <= 201 || kept === 0, 'a card keeps nothing that it could have paid')
    }),
    { seed, numRuns: 2000 },
  )
})
