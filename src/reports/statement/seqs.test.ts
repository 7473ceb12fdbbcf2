import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeSeqs, sliceSeqs } from './seqs.ts'

test('two lists become one in order, unless one of them is not known', () => {
  assert.deepEqual(mergeSeqs([1, 10], [2, 9, 11]), [1, 2, 9, 10, 11])
  assert.deepEqual([mergeSeqs(null, [1]), mergeSeqs([1], null)], [null, null])
})

test('a slice has at most so many numbers, within so many transfers', () => {
  const slices = (seqs: number[]) => [...sliceSeqs(seqs, { most: 3, span: 100 })]
  assert.deepEqual(slices([]), [])
  assert.deepEqual(slices([1, 2, 3, 4, 103, 104]), [
    { first: 1, end: 4, among: [1, 2, 3] },
    { first: 4, end: 104, among: [4, 103] },
    { first: 104, end: 105, among: [104] },
  ])
})
