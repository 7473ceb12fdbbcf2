import assert from 'node:assert/strict'
import test from 'node:test'
import { addToLane, estimateWaitMs, newLane, recordBatchMs, splitExpired, type WaitingItem } from './batch-lane.ts'

const waitingFor = (ms: number, item = ms): WaitingItem<number, null> => ({
  item,
  key: 1,
  spent: null,
  since: performance.now() - ms,
  resolve: () => {},
  reject: () => {},
})

test('C13: work that has waited ten seconds is not started any more', () => {
  const { expired, inTime } = splitExpired([0, 9000, 11_000, 60_000].map((ms) => waitingFor(ms)))
  assert.deepEqual(
    [inTime.map(({ item }) => item), expired.map(({ item }) => item)],
    [
      [0, 9000],
      [11_000, 60_000],
    ],
  )
})

const NOW = { max: 2, later: 0 }

test('C13: the expected wait is that of the batches ahead; a hanging batch counts for at least as long again as it has run', () => {
  const lane = { ...newLane<number, null>(), usualMs: 100 }
  assert.equal(estimateWaitMs(lane, NOW), 0)
  for (let nth = 0; nth < 5; nth += 1) addToLane(lane, waitingFor(0))
  assert.equal(estimateWaitMs(lane, NOW), 200)
  assert.equal(estimateWaitMs({ ...lane, begunAt: performance.now() }, NOW), 300)
  const hanging = estimateWaitMs({ ...lane, begunAt: performance.now() - 2000 }, NOW)
  assert.ok(hanging >= 6000 && hanging < 7000, `${hanging} ms`)
})

test('C13: whole batches of those that come first count with the time that batches steadily took, and one slow batch changes it little', () => {
  const lane = newLane<number, null>()
  const behind = (later: number) => estimateWaitMs(lane, { max: 2, later })
  assert.equal(behind(100), 0)
  for (let nth = 0; nth < 3; nth += 1) recordBatchMs(lane, 10)
  const usual = behind(0)
  assert.deepEqual([behind(1) - usual, behind(5) - usual], [0, 20])
  recordBatchMs(lane, 1000)
  const steady = behind(2) - behind(0)
  assert.ok(steady > 10 && steady < 100, `${steady} ms`)
})
