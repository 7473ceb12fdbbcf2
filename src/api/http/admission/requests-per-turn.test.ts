import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import test from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limitPerTurn } from './requests-per-turn.ts'

type Asked = IncomingMessage & { nth: number }

/** A listener that takes three requests a turn and remembers which. */
function three() {
  const taken: number[] = []
  const listener = limitPerTurn((request) => void taken.push((request as Asked).nth), 3)
  const requests: Asked[] = []
  const ask = () => {
    const request = { nth: requests.length, destroyed: false } as Asked
    requests.push(request)
    listener(request, {} as ServerResponse)
  }
  return { taken, ask, requests }
}

test('what comes within the bound is taken at once', async () => {
  const { taken, ask } = three()
  for (let turn = 1; turn <= 3; turn += 1) {
    for (let left = 3; left > 0; left -= 1) ask()
    assert.equal(taken.length, turn * 3)
    await nextTurn()
  }
})

test('of a flood each turn takes as many as the bound, in the order of arrival', async () => {
  const { taken, ask } = three()
  for (let left = 7; left > 0; left -= 1) ask()
  assert.deepEqual(taken, [0, 1, 2])
  await nextTurn()
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5])
  // It comes after one that waits, although this turn has room.
  ask()
  await nextTurn()
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7])
  ask()
  await nextTurn()
  assert.equal(taken.length, 9)
})

test('a request whose client has gone while it waited is not begun', async () => {
  const { taken, ask, requests } = three()
  for (let left = 5; left > 0; left -= 1) ask()
  ;(requests[3] as { destroyed: boolean }).destroyed = true
  await nextTurn()
  assert.deepEqual(taken, [0, 1, 2, 4])
})

test('when all clients of a turn have gone, those behind them are taken all the same', async () => {
  const { taken, ask, requests } = three()
  for (let left = 8; left > 0; left -= 1) ask()
  for (const request of requests.slice(3, 6)) (request as { destroyed: boolean }).destroyed = true
  await nextTurn()
  assert.deepEqual(taken, [0, 1, 2])
  await nextTurn()
  assert.deepEqual(taken, [0, 1, 2, 6, 7])
})
