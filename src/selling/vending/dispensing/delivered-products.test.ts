import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countDelivered } from './delivered-products.ts'

type Case = [says: string, ordered: (string | number)[], reported: [string, number][], delivered: number]

const CASES: readonly Case[] = [
  [
    'each came out',
    ['1', '2'],
    [
      ['1', 1],
      ['2', 1],
    ],
    2,
  ],
  [
    'two of the first and none of the second',
    ['1', '2'],
    [
      ['1', 2],
      ['2', 0],
    ],
    1,
  ],
  ['two of the first, the second is not mentioned', ['1', '2'], [['1', 2]], 1],
  ['the same product twice, in one row', ['1', '1'], [['1', 2]], 2],
  [
    'the same product twice, in two rows',
    ['1', '1'],
    [
      ['1', 1],
      ['1', 1],
    ],
    2,
  ],
  [
    'the same product twice, of which one came out',
    ['1', '1', '2'],
    [
      ['1', 1],
      ['2', 1],
    ],
    2,
  ],
  ['more than was ordered', ['1'], [['1', 5]], 1],
  [
    'a number given as a number',
    [7, 8],
    [
      ['7', 1],
      ['8', 1],
    ],
    2,
  ],
  [
    'by slot, each',
    ['A', 'B'],
    [
      ['11', 1],
      ['12', 1],
    ],
    2,
  ],
  [
    'by slot, two of the first and none of the second',
    ['A', 'B'],
    [
      ['11', 2],
      ['12', 0],
    ],
    1,
  ],
  ['by slot, what was ordered twice', ['A', 'A'], [['11', 2]], 2],
  [
    'one by its number, one by slot',
    ['A', 'B'],
    [
      ['B', 1],
      ['11', 1],
    ],
    2,
  ],
  [
    'something that nobody ordered beside what did not come',
    ['A'],
    [
      ['A', 0],
      ['B', 1],
    ],
    0,
  ],
  [
    'rows without numbers, each',
    ['A', 'B'],
    [
      ['', 1],
      ['', 1],
    ],
    2,
  ],
  [
    'rows without numbers, one empty',
    ['A', 'B'],
    [
      ['', 2],
      [' ', 0],
    ],
    1,
  ],
]

test('C2 units count only for products with their number', () => {
  for (const [says, ordered, reported, delivered] of CASES)
    assert.deepEqual(
      countDelivered(
        ordered.map((spbh) => ({ spbh })),
        reported.map(([spbh, chsl]) => ({ spbh, chsl })),
      ),
      { products: ordered.length, delivered },
      says,
    )
})
