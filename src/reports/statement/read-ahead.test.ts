import assert from 'node:assert/strict'
import test from 'node:test'
import { splitRange } from './read-ahead.ts'

test('windows whose size changes on the way contain every number once', () => {
  const sizes = [10, 100, 10, 1]
  const windows = [...splitRange({ first: 5, end: 127 }, () => sizes.shift() ?? 1000)]
  assert.deepEqual(windows, [
    { first: 5, end: 15 },
    { first: 15, end: 115 },
    { first: 115, end: 125 },
    { first: 125, end: 126 },
    { first: 126, end: 127 },
  ])
  assert.deepEqual([...splitRange({ first: 5, end: 5 }, () => 10)], [])
})
