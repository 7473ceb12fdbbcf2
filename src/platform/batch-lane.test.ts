import assert from 'node:assert/strict'
import test from 'node:test'
import { emptyLane, expectedMs, putInto, takeExpired, type Waiting } from './batch-lane.ts'

const waitingFor = (ms: number, item = ms): Waiting<number, null> => ({
  item,
  key: 1,
  since: performance.now() - ms,
  resolve: () => {},
  reject: () => {},
})

test('C13: work that has waited ten seconds is not started any more', () => {
  const { expired, left } = takeExpired([0, 9000, 11_000, 60_000].map((ms) => waitingFor(ms)))
  assert.deepEqual(
    [left.map(({ item }) => item), expired.map(({ item }) => item)],
    [
      [0, 9000],
      [11_000, 60_000],
    ],
  )
})

test('C13: the expected wait is that of the batches ahead; a hanging batch counts for at least as long again as it has run', () => {
  const lane = { ...emptyLane<number, null>(), usualMs: 100 }
  assert.equal(expectedMs(lane, 2), 0)
  for (let nth = 0; nth < 5; nth += 1) putInto(lane, waitingFor(0))
  assert.equal(expectedMs(lane, 2), 200)
  assert.equal(expectedMs({ ...lane, begunAt: performance.now() }, 2), 300)
  const hanging = expectedMs({ ...lane, begunAt: performance.now() - 2000 }, 2)
  assert.ok(hanging >= 6000 && hanging < 7000, `${hanging} ms`)
})
