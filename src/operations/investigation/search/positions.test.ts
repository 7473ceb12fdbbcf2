import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodePositions, intersectLists } from './positions.ts'
import { buildTermTokens, buildTokens, hasPart, type Searchable } from './tokens.ts'

test('what several lists of positions have in common is found, the highest first', () => {
  const lists = [
    [0, 3, 700, 65_535],
    [0, 1, 2, 3, 4, 65_535],
    [3, 65_535],
  ]
  assert.deepEqual(intersectLists(lists.map(encodePositions)), [65_535, 3])
  assert.deepEqual(intersectLists([encodePositions([5, 9])]), [9, 5])
  assert.deepEqual(intersectLists([encodePositions([5]), encodePositions([])]), [])
})

const paid: Searchable = {
  ...{ merchantId: 7, amount: 12_500, reason: null, phone: '256772123456', name: 'Nakato  Sarah' },
  ...{ reference: 'Ward-Nine INV-20417', number: '53408662424' },
}

test('a payment has all tokens of each part by which it is found, however a number is written', () => {
  const tokens = buildTokens(paid)
  const has = (text: string, more: object = {}) =>
    buildTermTokens({ text, amount: null, merchantId: null, reason: null, ...more }).some((list) =>
      list.every((token) => tokens.has(token)),
    )
  for (const text of [
    ...['nine inv', 'INV-204', 'kato sar', '8662', '0772 123', '+256 772-123', '772123456', '256772', '3456'],
    ...['ward-nine inv-20417 and nothing else'.slice(0, 19)],
  ])
    assert.ok(has(text) && hasPart(paid, text), text)
  for (const text of ['inv-205', '0773', 'sarah n']) assert.ok(!hasPart(paid, text), text)
  const terms = { amount: null, merchantId: null, reason: null }
  assert.equal(buildTermTokens({ ...terms, text: '0772123' }).length, 1, 'the digits behind the zero find both')
  assert.ok(has('inv', { amount: 12_500, merchantId: 7 }))
  assert.ok(!has('inv', { amount: 12_501 }) && !has('inv', { merchantId: 8 }))
})
