import assert from 'node:assert/strict'
import test from 'node:test'
import { bothOf, SeqNotes, slicesOf } from './seq-notes.ts'

test('numbers are noted in order until there are too many of them', () => {
  const notes = new SeqNotes()
  notes.add([3, 1, 2])
  notes.add([5, 4])
  assert.deepEqual([notes.noted, notes.wanted], [[1, 2, 3, 4, 5], true])
  notes.add(Array.from({ length: 99_995 }, (_, n) => n + 6))
  assert.deepEqual([notes.noted?.length, notes.noted?.at(-1)], [100_000, 100_000])
  notes.add([])
  assert.equal(notes.wanted, true)
  notes.add([100_001])
  assert.deepEqual([notes.noted, notes.wanted], [null, false])
  notes.add([100_002])
  assert.equal(notes.noted, null)
})

test('two lists become one in order, unless one of them is not known', () => {
  assert.deepEqual(bothOf([1, 10], [2, 9, 11]), [1, 2, 9, 10, 11])
  assert.deepEqual([bothOf(null, [1]), bothOf([1], null)], [null, null])
})

test('a slice has at most so many numbers, within so many transfers', () => {
  const slices = (seqs: number[]) => [...slicesOf(seqs, { most: 3, span: 100 })]
  assert.deepEqual(slices([]), [])
  assert.deepEqual(slices([1, 2, 3, 4, 103, 104]), [
    { first: 1, end: 4, among: [1, 2, 3] },
    { first: 4, end: 104, among: [4, 103] },
    { first: 104, end: 105, among: [104] },
  ])
})
