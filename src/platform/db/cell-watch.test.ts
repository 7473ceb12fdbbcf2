import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../time/clock.ts'
import { describeAway, newCellWatch, reachedCells } from './cell-watch.ts'

const never = new Promise<boolean>(() => {})
const answers = async () => true
const refuses = async () => false

/** A watch over cells that do as the table says; the table may change. */
function watching(cells: Record<string, () => Promise<boolean>>) {
  const clock = movableClock()
  const all = () => Object.keys(cells).map((cell) => ({ cell, db: { works: () => (cells[cell] ?? answers)() } }))
  const watch = newCellWatch({ cells: all, nodeOf: (cell) => (cell === 'cell_1' ? '10.0.0.3:5432' : null), clock })
  return { clock, watch, reached: () => reachedCells({ cells: all(), cellWatch: watch }).map(({ cell }) => cell) }
}

test('of three cells the one that refuses and the one that is silent are away, since they were first asked in vain', async () => {
  const cells: Record<string, () => Promise<boolean>> = { cell_0: answers, cell_1: refuses, cell_2: () => never }
  const { clock, watch, reached } = watching(cells)
  const first = await watch.look()
  assert.deepEqual(
    first.map(({ cell, node }) => [cell, node]),
    [
      ['cell_1', '10.0.0.3:5432'],
      ['cell_2', null],
    ],
  )
  assert.deepEqual(reached(), ['cell_0'])
  clock.advance(60_000)
  assert.deepEqual(await watch.look(), first, 'since the same time')
  assert.deepEqual(watch.away().map(describeAway), [
    'cell_1 does not answer (node 10.0.0.3:5432)',
    'cell_2 does not answer',
  ])
  cells.cell_1 = answers
  assert.deepEqual(
    (await watch.look()).map(({ cell }) => cell),
    ['cell_2'],
  )
  assert.deepEqual(reached(), ['cell_0', 'cell_1'])
})

test('a silent cell is asked once until it answers', async () => {
  let asked = 0
  const { watch } = watching({
    cell_0: answers,
    cell_1: () => {
      asked += 1
      return never
    },
  })
  await watch.look()
  await watch.look()
  assert.equal(asked, 1)
})

test('where no cell answers, all are read, so that whoever reads hears why', async () => {
  const { watch, reached } = watching({ cell_0: refuses, cell_1: refuses })
  assert.equal((await watch.look()).length, 2)
  assert.deepEqual(reached(), ['cell_0', 'cell_1'])
})
