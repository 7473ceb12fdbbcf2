import assert from 'node:assert/strict'
import test from 'node:test'
import type { Mode } from '../../../platform/mode.ts'
import { TooBusy } from '../../../platform/refusal.ts'
import { newOverloadGuard } from './overload.ts'

const [SMALL, LARGE] = [1, 2]

/** A door at which one merchant has sent nine requests and another merchant one, in the same second. */
function doorWithCrowd() {
  let nowMs = 0
  const door = newOverloadGuard(() => nowMs)
  const hears = (merchantId: number, mode: Mode, expectedMs: number, kind = 'charges') => {
    try {
      door.refuseIfTooLong(kind, { merchantId, mode }, expectedMs)
      return null
    } catch (error) {
      assert.ok(error instanceof TooBusy)
      return error.retryAfterSeconds
    }
  }
  for (let nth = 0; nth < 9; nth += 1) hears(LARGE, 'live', 0)
  hears(SMALL, 'live', 0)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { hears, pass }
}

test('C13: test mode is refused before live mode, and the busiest sender before others', () => {
  const cases = [
    { expectedMs: 1000, refused: [] },
    { expectedMs: 1001, refused: ['large test'] },
    { expectedMs: 1201, refused: ['large test', 'large live'] },
    { expectedMs: 1251, refused: ['large test', 'large live', 'small test'] },
    { expectedMs: 1501, refused: ['large test', 'large live', 'small test', 'small live'] },
  ]
  for (const { expectedMs, refused } of cases) {
    const { hears } = doorWithCrowd()
    const told = (['test', 'live'] as const).flatMap((mode) => [
      ...(hears(LARGE, mode, expectedMs) === null ? [] : [`large ${mode}`]),
      ...(hears(SMALL, mode, expectedMs) === null ? [] : [`small ${mode}`]),
    ])
    assert.deepEqual(told.sort(), [...refused].sort(), `${expectedMs} ms`)
  }
})

test('C13: Retry-After grows with the wait, to five seconds', () => {
  const { hears } = doorWithCrowd()
  assert.deepEqual(
    [1501, 2600, 60_000].map((expectedMs) => hears(SMALL, 'live', expectedMs)),
    [2, 3, 5],
  )
})

test('C13: the busiest sender is forgotten after two seconds, and kinds are counted separately', () => {
  const { hears, pass } = doorWithCrowd()
  assert.equal(hears(LARGE, 'live', 1300), 1)
  assert.equal(hears(SMALL, 'live', 1300), null)
  pass(2500)
  // Now alone, the small sender is the busiest.
  assert.equal(hears(SMALL, 'live', 1300), 1)
  assert.equal(hears(LARGE, 'live', 1000), null)
})
