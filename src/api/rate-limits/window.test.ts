import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { rememberNewest } from './bounded-map.ts'
import {
  addRequests,
  countRequests,
  dropOldCounts,
  makeShape,
  msUntilRoom,
  newWindow,
  removeRequests,
} from './window.ts'
import { formatWindow, parseWindow } from './window-text.ts'

const MINUTE = 60_000
const START = 1_780_000_000_000
// How long a transaction may have waited with a time taken earlier.
const LATEST = 10_000

/** Asks at these times (some decide late, as if behind a lock) and returns the accepted ones. */
function accept(limit: number, steps: readonly { ms: number; lateMs: number }[]): number[] {
  const shape = makeShape(limit, MINUTE)
  const accepted: number[] = []
  let nowMs = START
  let text = ''
  for (const { ms, lateMs } of steps) {
    nowMs += ms
    const atMs = nowMs - lateMs
    const window = parseWindow(text)
    dropOldCounts(window, shape, atMs)
    if (msUntilRoom(window, shape, atMs) > 0) continue
    assert.ok(countRequests(window, shape, atMs) < limit)
    addRequests(window, shape, atMs)
    accepted.push(atMs)
    text = formatWindow(window)
  }
  return accepted
}

function mostInAnyMinute(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  let from = 0
  let most = 0
  for (let to = 0; to < sorted.length; to += 1) {
    while ((sorted[to] as number) - (sorted[from] as number) >= MINUTE) from += 1
    most = Math.max(most, to - from + 1)
  }
  return most
}

const steps = (longestMs: number) =>
  fc.array(fc.record({ ms: fc.nat(longestMs), lateMs: fc.oneof(fc.constant(0), fc.nat(LATEST)) }), {
    minLength: 10,
    maxLength: 900,
    size: 'max',
  })

test('S6: never more than the limit in any minute, for small and large limits, even when some decide late', () => {
  const pace = fc.constantFrom(20, 200, 3000).chain(steps)
  fc.assert(
    fc.property(fc.constantFrom(1, 3, 30, 301, 400), pace, (limit, some) => {
      assert.ok(mostInAnyMinute(accept(limit, some)) <= limit)
    }),
    { numRuns: 60 },
  )
})

test('S6: a small window is exact to the millisecond and reports the wait', () => {
  const shape = makeShape(3, MINUTE)
  const window = newWindow()
  for (const ms of [0, 0, 500]) addRequests(window, shape, START + ms)
  assert.equal(msUntilRoom(window, shape, START + 1000), MINUTE - 1000)
  assert.equal(msUntilRoom(window, shape, START + MINUTE - 1), 1)
  assert.equal(msUntilRoom(window, shape, START + MINUTE), 0)
  assert.equal(countRequests(window, shape, START + MINUTE), 1)
})

test('S6: a large window frees its places at most a sixtieth late', () => {
  const shape = makeShape(1_000_000, MINUTE)
  const window = newWindow()
  for (let nth = 0; nth < 1_000_000; nth += 1) addRequests(window, shape, START + (nth % 30_000))
  assert.ok(window.slots.length <= 31)
  assert.equal(countRequests(window, shape, START + 30_000), 1_000_000)
  const wait = msUntilRoom(window, shape, START + 30_000)
  assert.ok(wait >= 30_000 && wait < 31_000, String(wait))
  dropOldCounts(window, shape, START + 3 * MINUTE)
  assert.deepEqual(window, newWindow())
})

test('S6: a returned place is free again, once', () => {
  const shape = makeShape(2, MINUTE)
  const window = newWindow()
  addRequests(window, shape, START)
  addRequests(window, shape, START + 5)
  removeRequests(window, shape, START + 7)
  assert.ok(msUntilRoom(window, shape, START + 10) > 0, 'nothing was accepted then')
  removeRequests(window, shape, START)
  removeRequests(window, shape, START)
  assert.equal(window.total, 1)
  assert.equal(msUntilRoom(window, shape, START + 10), 0)
})

test('S6: times written by a wrong clock do not count for ever', () => {
  const shape = makeShape(1, MINUTE)
  const window = newWindow()
  addRequests(window, shape, START + 3_600_000)
  dropOldCounts(window, shape, START)
  assert.equal(msUntilRoom(window, shape, START), 0)
})

test('what is written can be read back', () => {
  fc.assert(
    fc.property(steps(5000), fc.constantFrom(5, 500), (some, limit) => {
      const window = newWindow()
      for (const { ms } of some) addRequests(window, makeShape(limit, MINUTE), START + ms)
      assert.deepEqual(parseWindow(formatWindow(window)), window)
    }),
    { numRuns: 20 },
  )
})

test('D6: when there are too many, the oldest is forgotten and not all', () => {
  const known = new Map<string, number>()
  for (const [value, key] of ['a', 'b', 'c', 'a', 'd'].entries()) rememberNewest(known, { key, value, most: 3 })
  assert.deepEqual(
    [...known],
    [
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ],
  )
})
