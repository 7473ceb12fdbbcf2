import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { doubled, held, type Item, item, laneOf, turn, turns } from '../../../test/helpers/database/held-batch.ts'
import { newBatch } from './batch.ts'
import { type BatchTurn, itemDone } from './batch-run.ts'
import { runDistinct } from './run-distinct.ts'

test('several items about one thing each run separately, and all are answered in order', async () => {
  const runs: string[][] = []
  const run = async (names: readonly string[]) => {
    runs.push([...names])
    return names.map((name) => itemDone(`${name} ${runs.length}`))
  }
  const answers = await runDistinct(['a1', 'b1', 'a2', 'c1', 'a3', 'b2'], (name) => name.charAt(0), run)
  assert.deepEqual(runs, [['a1', 'b1', 'c1'], ['a2', 'b2'], ['a3']])
  assert.deepEqual(
    answers.map((answer) => answer.ok && answer.value),
    ['a1 1', 'b1 1', 'a2 2', 'c1 1', 'a3 3', 'b2 2'],
  )
})

const locked = () =>
  Object.assign(new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error'), {
    code: '55P03',
  })

test('C16: a key whose row is locked continues separately, and the keys beside it are served meanwhile', async () => {
  let isLocked = true
  const turns: (BatchTurn & { keys: number[] })[] = []
  const group = newBatch<Item, number>({
    run: async (items, how) => {
      turns.push({ ...how, keys: [...new Set(items.map(laneOf))] })
      while (isLocked && items.some(({ lane }) => lane === 7)) {
        if (how.hurry) throw locked()
        await turn()
      }
      return doubled(items)
    },
    keyOf: laneOf,
  })
  const stuck = [group.add(item(1, 7)), group.add(item(2, 7))]
  const others = [group.add(item(3, 8)), group.add(item(4, 9))]
  assert.deepEqual(await Promise.all(others), [6, 8])
  const later = group.add(item(5, 7))
  assert.equal(await group.add(item(6, 8)), 12, 'the lane goes on')
  assert.ok(turns.filter(({ hurry }) => !hurry).every(({ keys }) => keys.join() === '7'))
  isLocked = false
  assert.deepEqual(await Promise.all([...stuck, later]), [2, 4, 10])
  await group.idle()
  assert.equal(await group.add(item(7, 7)), 14)
  assert.deepEqual(turns.at(-1), { hurry: true, keys: [7] }, 'and back in its lane')
})

test('C16: a lane filled by one key still accepts others, and each batch has a place for them', async () => {
  const work = held()
  // Few batches: a lane that expects to be slow refuses too, and a machine may stand still for half a second.
  const group = newBatch({ run: work.run, keyOf: laneOf, max: 1000 })
  const answers = [group.add(item(0, 1))]
  await turns()
  for (let value = 1; value <= 2000; value += 1) answers.push(group.add(item(value, 1)))
  await assert.rejects(group.add(item(1, 1)), { status: 503 })
  let served = false
  answers.push(
    group.add(item(5000, 2)).then((value) => {
      served = true
      return value
    }),
  )
  for (let round = 0; round < 2; round += 1) {
    work.letGo()
    await turns()
  }
  assert.ok(served, 'in the very next batch')
  while (group.waiting() > 0 || work.underWay() > 0) {
    work.letGo()
    await turn()
  }
  assert.equal((await Promise.all(answers)).length, 2002)
})
