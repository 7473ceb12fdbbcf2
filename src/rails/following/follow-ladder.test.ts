import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { FOLLOW_SETTINGS, parseLadder } from '../../program/settings/follow-settings.ts'
import { nextQuestionMs as next } from './follow-ladder.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const EXACT = () => 0.5
const LADDER = parseLadder(FOLLOW_SETTINGS.followLadder.byDefault)
const nextQuestionMs = (fromMs: number, nowMs: number, chance?: () => number) => next(LADDER, { fromMs, nowMs }, chance)

/** Ages at which a movement is asked about, up to `untilMs` after its submit ended. */
function ages(untilMs: number, chance: () => number): number[] {
  const asked: number[] = []
  for (let age = nextQuestionMs(0, 0, chance); age <= untilMs; age = nextQuestionMs(0, age, chance)) {
    asked.push(age)
    assert.ok(asked.length < 10_000, 'the ladder comes to its end')
  }
  return asked
}

/** Random numbers from a seed. */
function drawing(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('the first five minutes are asked at 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240 and 300 seconds', () => {
  assert.deepEqual(
    ages(5 * MINUTE, EXACT).map((age) => age / SECOND),
    [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300],
  )
})

test('the number of questions is that of the table: 12, 17, 112, 256, and 279 after 30 days', () => {
  const counts = [5 * MINUTE, 15 * MINUTE, DAY, 7 * DAY, 30 * DAY].map((until) => ages(until, EXACT).length)
  assert.deepEqual(counts, [12, 17, 112, 256, 279])
})

test('it never stops asking, and asks at least once every 1.2 days', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4000 }), fc.double({ min: 0, max: 1, noNaN: true }), (days, drawn) => {
      const now = days * DAY
      const next = nextQuestionMs(0, now, () => drawn)
      assert.ok(next > now && next <= now + 1.2 * DAY)
    }),
  )
})

test('each step is spread by at most a fifth either way, and really is spread', () => {
  for (const [age, step] of [
    [0, 5 * SECOND],
    [60 * SECOND, 30 * SECOND],
    [6 * MINUTE, 2 * MINUTE],
    [HOUR, 15 * MINUTE],
    [2 * DAY, HOUR],
    [30 * DAY, DAY],
  ] as const) {
    const times = Array.from({ length: 200 }, () => nextQuestionMs(0, age) - age)
    assert.ok(Math.min(...times) >= step * 0.8 && Math.max(...times) <= step * 1.2, `at ${age} ms`)
    assert.ok(new Set(times).size > 100)
  }
})

test('spreading adds no questions: for any draw there are about twelve in five minutes and 279 in 30 days', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), (seed) => {
      const asked = ages(30 * DAY, drawing(seed))
      const early = asked.filter((age) => age <= 5 * MINUTE).length
      assert.ok(early >= 9 && early <= 15, `${early} questions in the first five minutes`)
      assert.ok(asked.length > 250 && asked.length < 310, `${asked.length} questions in 30 days`)
    }),
  )
})

test('for any draw, two questions are never closer than the floor of two seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), (seed) => {
      const asked = ages(HOUR, drawing(seed))
      const gaps = asked.map((age, index) => age - (asked[index - 1] ?? 0))
      assert.ok(Math.min(...gaps) >= 2 * SECOND, `asked again after ${Math.round(Math.min(...gaps))} ms`)
    }),
  )
})

test('a late question, after the service was down, continues at the step for its age', () => {
  assert.equal(nextQuestionMs(0, 40 * SECOND, EXACT), 45 * SECOND)
  assert.equal(nextQuestionMs(0, 10 * MINUTE, EXACT), 12 * MINUTE)
  assert.equal(nextQuestionMs(1_000_000, 999_000, EXACT), 999_000 + 5 * SECOND, 'also when clocks disagree')
})
