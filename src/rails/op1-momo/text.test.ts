import assert from 'node:assert/strict'
import test from 'node:test'
import { plainText } from './text.ts'

for (const [raw, plain] of [
  ["Mama Grace's Shop", 'Mama Graces Shop'],
  ['Fish & Chips #1', 'Fish Chips 1'],
  ['Kyambadde ŋŋoma éclair', 'Kyambadde oma eclair'],
  ['Shop 🐟', 'Shop'],
  ['a\u0000b\nc', 'a b c'],
  ['', 'Payment txn_1'],
  ['🐟🐟', 'Payment txn_1'],
  ['x'.repeat(500), 'x'.repeat(120)],
] as const)
  test(`the operator is told ${JSON.stringify(plain.slice(0, 30))} for ${JSON.stringify(raw.slice(0, 30))}`, () => {
    assert.equal(plainText(raw, 120, 'Payment txn_1'), plain)
  })
