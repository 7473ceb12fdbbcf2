import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addSums, negate, parseSum } from './sums.ts'
import { writeExactJson } from './text/exact-json.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

test('C20: a sum is exact at any size, and is a number wherever a number is exact', () => {
  assert.equal(addSums(1, 2, 3), 6)
  assert.equal(addSums(LARGEST, 1), 9_007_199_254_740_992n)
  assert.equal(addSums(LARGEST, LARGEST, negate(LARGEST)), LARGEST)
  assert.equal(addSums(), 0)
  const amount = fc.integer({ min: -LARGEST, max: LARGEST })
  fc.assert(
    fc.property(fc.array(amount), (amounts) => {
      const total = amounts.reduce((sum, one) => sum + BigInt(one), 0n)
      const sum = addSums(...amounts)
      assert.equal(BigInt(sum), total)
      assert.equal(typeof sum, total >= -LARGEST && total <= LARGEST ? 'number' : 'bigint')
    }),
  )
})

test('C20: digits become a number where that is exact', () => {
  assert.equal(parseSum('9007199254740991'), LARGEST)
  assert.equal(parseSum('9007199254740993'), 9_007_199_254_740_993n)
  assert.equal(parseSum('-9007199254740993'), -9_007_199_254_740_993n)
})

test('C20: JSON text holds every digit of a large sum', () => {
  const value = { a: [1, { b: 9_007_199_254_740_993n }], c: undefined, d: null, e: 'x"y', f: new Date(0) }
  assert.equal(
    writeExactJson(value),
    '{"a":[1,{"b":9007199254740993}],"d":null,"e":"x\\"y","f":"1970-01-01T00:00:00.000Z"}',
  )
  assert.equal(writeExactJson({ a: 1 }), '{"a":1}')
})
