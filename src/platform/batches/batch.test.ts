import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { doubled, held, type Item, item, laneOf, turn, turns } from '../../../test/helpers/database/held-batch.ts'
import { eventually } from '../../../test/helpers/service/live-service.ts'
import { DatabaseAway } from '../db/errors.ts'
import { newBatch } from './batch.ts'
import { itemDone, itemFailed } from './batch-run.ts'

/** Lets everything go that is held, and what begins after it. */
async function finishWork(work: ReturnType<typeof held>, group?: { waiting(): number }): Promise<void> {
  while ((group?.waiting() ?? 0) > 0 || work.underWay() > 0) {
    work.letGo()
    await turns()
  }
}

test('an idle lane commits at once: one turn of the event loop, no timer', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf })
  const answer = group.add(item(1))
  await turn()
  await turn()
  assert.deepEqual(work.sizes, [1])
  work.letGo()
  assert.equal(await answer, 2)
})

test('items that arrive during a batch form the next batch, up to its largest size', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf, max: 50 })
  const answers = [group.add(item(0))]
  await turns()
  for (let value = 1; value <= 120; value += 1) answers.push(group.add(item(value)))
  assert.equal(group.waiting(), 120)
  for (let round = 0; round < 4; round += 1) {
    work.letGo()
    await turns()
  }
  assert.deepEqual(work.sizes, [1, 50, 50, 20])
  assert.deepEqual(
    await Promise.all(answers),
    answers.map((_, value) => value * 2),
  )
  await group.idle()
  assert.equal(group.waiting(), 0)
})

test('a failed outcome is the error of its own item and of no other', async () => {
  const refusal = new Error('this one')
  const group = newBatch<Item, number>({
    run: async (items) => items.map(({ value, bad }) => (bad ? itemFailed(refusal) : itemDone(value))),
    keyOf: laneOf,
  })
  const answers = await Promise.allSettled([
    group.add(item(1)),
    group.add({ ...item(2), bad: true }),
    group.add(item(3)),
  ])
  assert.deepEqual(answers, [
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: refusal },
    { status: 'fulfilled', value: 3 },
  ])
})

test('an item that breaks its batch fails alone: the others of the batch run one by one', async () => {
  const sizes: number[] = []
  const group = newBatch<Item, number>({
    run: async (items) => {
      sizes.push(items.length)
      if (items.some(({ bad }) => bad)) throw new Error('poison')
      return doubled(items)
    },
    keyOf: laneOf,
  })
  const answers = await Promise.allSettled([
    group.add(item(1)),
    group.add({ ...item(2), bad: true }),
    group.add(item(3)),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(sizes, [3, 1, 1, 1])
  assert.equal(await group.add(item(4)), 8, 'and the lane goes on')
})

test('a database that is away fails all items at once, and nothing is retried', async () => {
  let runs = 0
  const group = newBatch<Item, number>({
    run: async () => {
      runs += 1
      throw new DatabaseAway(new Error('gone'))
    },
    keyOf: laneOf,
  })
  const answers = await Promise.allSettled([1, 2, 3].map((value) => group.add(item(value))))
  assert.ok(answers.every((answer) => answer.status === 'rejected' && answer.reason instanceof DatabaseAway))
  assert.equal(runs, 1)
})

test('a batch that returns fewer results than it has items fails the items without one', async () => {
  const group = newBatch<Item, number>({
    run: async (items) => (await doubled(items)).slice(0, 1),
    keyOf: laneOf,
  })
  const answers = await Promise.allSettled([group.add(item(1)), group.add(item(2))])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

test('with 2,000 waiting in a lane the next item gets a 503 at once; another key still finds a place', async () => {
  const work = held()
  // One batch: a lane that expects to be slow refuses too, and a machine may stand still for a second.
  const group = newBatch({ run: work.run, keyOf: laneOf, max: 2500 })
  const answers = [group.add(item(0))]
  await turns()
  for (let value = 1; value <= 2000; value += 1) answers.push(group.add(item(value)))
  await assert.rejects(group.add(item(2001)), { status: 503, code: 'unavailable' })
  answers.push(group.add(item(2001, 1)))
  await turns()
  await finishWork(work, group)
  assert.equal((await Promise.all(answers)).length, 2002)
})

test('C13: a lane that must not refuse accepts everything', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf, refuses: false })
  const answers = Array.from({ length: 3000 }, (_, value) => group.add(item(value)))
  await turns()
  await finishWork(work, group)
  assert.equal((await Promise.all(answers)).length, 3000)
})

test('every run reports its size', async () => {
  const group = newBatch({ run: doubled, keyOf: laneOf })
  const told: number[] = []
  group.onRun((size, ms) => told.push(size, Math.sign(ms + 1)))
  await Promise.all([group.add(item(1)), group.add(item(2))])
  await group.idle()
  assert.deepEqual(told, [2, 1])
})

test('whatever arrives, good items get their value and bad ones their own error, and each succeeds at most once', async () => {
  const drawn = fc.array(
    fc.record({
      lane: fc.nat(5),
      kind: fc.constantFrom('good', 'good', 'good', 'refused', 'poison'),
      later: fc.boolean(),
    }),
    { maxLength: 80 },
  )
  await fc.assert(
    fc.asyncProperty(drawn, fc.integer({ min: 1, max: 20 }), async (items, max) => {
      const committed: number[] = []
      const group = newBatch<{ lane: number; value: number; kind: string }, number>({
        run: async (some) => {
          await turn()
          if (some.some(({ kind }) => kind === 'poison')) throw new Error(`poison ${some[0]?.value}`)
          committed.push(...some.filter(({ kind }) => kind === 'good').map(({ value }) => value))
          return some.map(({ kind, value }) =>
            kind === 'refused' ? itemFailed(new Error(`refused ${value}`)) : itemDone(value),
          )
        },
        keyOf: ({ lane }) => lane,
        max,
      })
      const answers: Promise<PromiseSettledResult<number>[]>[] = []
      for (const [value, { later, ...rest }] of items.entries()) {
        if (later) await turn()
        answers.push(Promise.allSettled([group.add({ ...rest, value })]))
      }
      const settled = (await Promise.all(answers)).flat()
      for (const [value, outcome] of settled.entries()) {
        const kind = items[value]?.kind
        if (kind === 'good') assert.deepEqual(outcome, { status: 'fulfilled', value })
        else assert.equal(outcome.status === 'rejected' && outcome.reason.message, `${kind} ${value}`)
      }
      const good = items.flatMap(({ kind }, value) => (kind === 'good' ? value : []))
      assert.deepEqual(
        [...committed].sort((a, b) => a - b),
        good,
      )
    }),
    { numRuns: 50 },
  )
})

test('how long a batch gathers is asked before each: while it is held back, what comes joins it', async () => {
  const work = held()
  const toGather = [0, 500, 0]
  // Nothing is too late here, however slow the machine is.
  const group = newBatch({
    run: work.run,
    keyOf: laneOf,
    gatherMs: () => toGather.shift() ?? 0,
    refuses: false,
  })
  const answers = [group.add(item(1))]
  await turns()
  answers.push(group.add(item(2)))
  work.letGo()
  await turns()
  assert.deepEqual(work.sizes, [1], 'the next one is held back')
  assert.deepEqual(toGather, [0])
  answers.push(group.add(item(3)), group.add(item(4)))
  await eventually('the held batch has begun', async () => work.underWay() === 1)
  assert.deepEqual(work.sizes, [1, 3])
  work.letGo()
  assert.deepEqual(await Promise.all(answers), [2, 4, 6, 8])
})

test('what is behind counts with the time that batches steadily took, and a part of a batch with its part', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf, max: 10 })
  assert.equal(group.behindMs(1000), 0, 'nothing has run yet')
  const answer = group.add(item(1))
  await turns()
  work.letGo()
  await answer
  await group.idle()
  const wholeMs = group.behindMs(10)
  assert.ok(wholeMs > 0)
  assert.equal(group.behindMs(5), wholeMs / 2)
  const later = [group.add(item(2)), group.add(item(3))]
  await turns()
  later.push(group.add(item(4)))
  assert.equal(group.behindMs(4), wholeMs / 2, 'the one that waits counts, those under way do not')
  await finishWork(work)
  await Promise.all(later)
})

test('a lane that takes nothing more from anybody says so before an item comes', async () => {
  const work = held()
  const group = newBatch({ run: work.run, keyOf: laneOf, max: 10_000, beside: false })
  const answers = [group.add(item(0))]
  await turns()
  for (let value = 1; value < 2500; value += 1) answers.push(group.add(item(value, value)))
  assert.ok(group.expectedMs() < 2000, 'one more fits')
  answers.push(group.add(item(2500, 2500)))
  assert.ok(group.expectedMs() >= 2000, 'too long for everybody')
  await assert.rejects(group.add(item(2501, 2501)), { status: 503 })
  await finishWork(work)
  await Promise.all(answers)
  assert.ok(group.expectedMs() < 2000)
})
