import assert from 'node:assert/strict'
import test from 'node:test'
import { held, item, laneOf, turns } from '../../../test/helpers/database/held-batch.ts'
import { eventually } from '../../../test/helpers/service/live-service.ts'
import { newBatch } from './batch.ts'

/** A late batch of key 7, for which one more of its key waits; an item of key 9 runs beside it. */
async function late() {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf })
  const answers = [group.add(item(1, 7))]
  await turns()
  answers.push(group.add(item(2, 7)), group.add(item(3, 9)))
  await eventually('the first is late', async () => work.underWay() === 2)
  return { work, group, answers }
}

test('a late batch lets others pass: a second one runs beside it, with no key of the first', async () => {
  const { work, group, answers } = await late()
  assert.deepEqual(work.sizes, [1, 1], 'the second of key 7 waits')
  answers.push(group.add(item(4, 9)), group.add(item(5, 8)))
  await turns()
  assert.equal(work.underWay(), 2, 'there is no third')
  work.letGo(1)
  await turns()
  assert.deepEqual(work.sizes, [1, 1, 2], 'while the first is late, the second goes on')
  work.letGo(0)
  await turns()
  assert.deepEqual(work.sizes, [1, 1, 2, 1], 'now the second of key 7')
  answers.push(group.add(item(6, 9)))
  await turns()
  assert.equal(work.underWay(), 2)
  while (work.underWay() > 0) {
    work.letGo()
    await turns()
  }
  assert.deepEqual(await Promise.all(answers), [2, 4, 6, 8, 10, 12])
  await group.idle()
})

test('while a batch is late, items of its own keys wait for it, and others pass again and again', async () => {
  const { work, group, answers } = await late()
  for (let value = 4; value < 8; value += 1) {
    work.letGo(1)
    await turns()
    assert.deepEqual([work.underWay(), group.waiting()], [1, 1], 'only the first, for which one waits')
    answers.push(group.add(item(value, 8)))
    await turns()
    assert.equal(work.underWay(), 2)
  }
  work.letGo()
  work.letGo()
  await turns()
  work.letGo()
  assert.deepEqual(await Promise.all(answers), [2, 4, 6, 8, 10, 12, 14])
  await group.idle()
})

test('a late batch beside which nothing may run leaves the group idle in the end', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf })
  const answers = [group.add(item(1, 7))]
  await turns()
  answers.push(group.add(item(2, 7)))
  await new Promise((resolve) => setTimeout(resolve, 60))
  answers.push(group.add(item(3, 7)))
  for (let batches = 0; batches < 2; batches += 1) {
    work.letGo()
    await turns()
  }
  assert.deepEqual(await Promise.all(answers), [2, 4, 6])
  const idle = await Promise.race([group.idle().then(() => true), turns().then(() => false)])
  assert.equal(idle, true)
})

test('without a second lane a late batch is waited for', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf, beside: false })
  const answers = [group.add(item(1, 7))]
  await turns()
  answers.push(group.add(item(2, 9)))
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(work.underWay(), 1)
  work.letGo()
  await turns()
  work.letGo()
  assert.deepEqual(await Promise.all(answers), [2, 4])
})
