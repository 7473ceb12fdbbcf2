import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../test/helpers/service/parts.ts'
import { cycleDay, nextRun } from './next-run.ts'
import { INTERVALS, type Interval } from './schedule.ts'

const KAMPALA_MS = 3 * 3_600_000
const DAY = 86_400_000
const seed = randomInt(2 ** 31)
console.log(`next-run.test.ts seed ${seed}`)

// The same calendar computed in another way: with the fields of a UTC date three hours ahead.
function dateOf(interval: Interval, anchor: Date, nth: number): Date {
  const wall = new Date(anchor.getTime() + KAMPALA_MS)
  if (interval === 'daily') wall.setUTCDate(wall.getUTCDate() + nth)
  if (interval === 'weekly') wall.setUTCDate(wall.getUTCDate() + 7 * nth)
  if (interval === 'monthly') {
    const day = wall.getUTCDate()
    wall.setUTCDate(1)
    wall.setUTCMonth(wall.getUTCMonth() + nth)
    const month = wall.getUTCMonth()
    wall.setUTCDate(day)
    while (wall.getUTCMonth() !== month) wall.setUTCDate(wall.getUTCDate() - 1)
  }
  return new Date(wall.getTime() - KAMPALA_MS)
}

const at = (kampala: string) => new Date(`${kampala}+03:00`)
const shown = (date: Date) => new Date(date.getTime() + KAMPALA_MS).toISOString().slice(0, 16)

/** The dates after the anchor, each computed from the one before. */
function datesFrom(interval: Interval, anchor: Date, count: number): string[] {
  const dates: string[] = []
  for (let after = anchor; dates.length < count; ) {
    after = nextRun(interval, { anchor, after })
    dates.push(shown(after))
  }
  return dates
}

const TABLE: [string, Interval, string, string[]][] = [
  ['each day at its hour', 'daily', '2026-02-27T09:30', ['2026-02-28T09:30', '2026-03-01T09:30']],
  ['each day over a leap day', 'daily', '2028-02-28T00:00', ['2028-02-29T00:00', '2028-03-01T00:00']],
  ['each week on its weekday', 'weekly', '2026-12-25T23:59', ['2027-01-01T23:59', '2027-01-08T23:59']],
  [
    'each month on the 31st or the last day of a shorter one',
    'monthly',
    '2026-01-31T08:00',
    ['2026-02-28T08:00', '2026-03-31T08:00', '2026-04-30T08:00', '2026-05-31T08:00', '2026-06-30T08:00'],
  ],
  [
    'the 30th, with a February in between',
    'monthly',
    '2026-12-30T08:00',
    ['2027-01-30T08:00', '2027-02-28T08:00', '2027-03-30T08:00'],
  ],
  [
    'the 29th, in a leap year and in another',
    'monthly',
    '2027-12-29T08:00',
    ['2028-01-29T08:00', '2028-02-29T08:00', '2028-03-29T08:00'],
  ],
  ['the leap day itself', 'monthly', '2028-02-29T08:00', ['2028-03-29T08:00', '2028-04-29T08:00']],
  ['an hour that is another day in UTC', 'monthly', '2026-01-31T01:00', ['2026-02-28T01:00', '2026-03-31T01:00']],
  ['the first instant of a month', 'monthly', '2026-01-01T00:00', ['2026-02-01T00:00', '2026-03-01T00:00']],
  ['the end of the year', 'monthly', '2026-11-30T23:00', ['2026-12-30T23:00', '2027-01-30T23:00']],
]

for (const [name, interval, anchor, dates] of TABLE)
  test(`${interval}: ${name}`, () => {
    assert.deepEqual(datesFrom(interval, at(anchor), dates.length), dates)
  })

test('before the anchor the next date is the anchor', () => {
  const anchor = at('2026-05-31T10:00')
  for (const interval of INTERVALS)
    assert.deepEqual(nextRun(interval, { anchor, after: at('2026-05-31T09:59') }), anchor)
})

test('dates missed in an outage are skipped: the next date lies after now', () => {
  const anchor = at('2026-01-31T10:00')
  const after = at('2026-07-30T12:00')
  assert.equal(shown(nextRun('daily', { anchor, after })), '2026-07-31T10:00')
  assert.equal(shown(nextRun('weekly', { anchor, after })), '2026-08-01T10:00')
  assert.equal(shown(nextRun('monthly', { anchor, after })), '2026-07-31T10:00')
})

const instants = (from: string, to: string) => fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true })
// Days of the month at which a naive calendar drifts are drawn as often as all others.
const monthEnds = fc
  .tuple(fc.integer({ min: 2020, max: 2032 }), fc.integer({ min: 0, max: 11 }), fc.integer({ min: 28, max: 31 }))
  .chain(([year, month, day]) => fc.nat(DAY - 1).map((ms) => new Date(Date.UTC(year, month, day) - KAMPALA_MS + ms)))
const anchors = fc.oneof(instants('2020-01-01T00:00:00Z', '2032-12-31T00:00:00Z'), monthEnds)
const intervals = fc.constantFrom(...INTERVALS)

test('every date matches an independent calendar, and none is left out', () => {
  fc.assert(
    fc.property(intervals, anchors, (interval, anchor) => {
      let after = anchor
      for (let nth = 1; nth <= 60; nth += 1) {
        const next = nextRun(interval, { anchor, after })
        assert.ok(next > after, 'strictly later')
        assert.deepEqual(next, dateOf(interval, anchor, nth))
        after = next
      }
    }),
    { seed, numRuns: sized(150, 1000) },
  )
})

test('whenever it is asked, the answer is the first date after that moment', () => {
  const later = fc.oneof(fc.nat(3 * DAY), fc.nat(800 * DAY))
  fc.assert(
    fc.property(intervals, anchors, later, (interval, anchor, ms) => {
      const after = new Date(anchor.getTime() + ms)
      let nth = 0
      while (dateOf(interval, anchor, nth) <= after) nth += 1
      assert.deepEqual(nextRun(interval, { anchor, after }), dateOf(interval, anchor, nth))
    }),
    { seed, numRuns: sized(150, 1000) },
  )
})

test('at a date, and a millisecond before it, the answers are the next date and that date', () => {
  fc.assert(
    fc.property(intervals, anchors, fc.integer({ min: 1, max: 40 }), (interval, anchor, nth) => {
      const date = dateOf(interval, anchor, nth)
      const before = new Date(date.getTime() - 1)
      assert.deepEqual(nextRun(interval, { anchor, after: before }), date)
      assert.deepEqual(nextRun(interval, { anchor, after: date }), dateOf(interval, anchor, nth + 1))
    }),
    { seed, numRuns: sized(150, 1000) },
  )
})

test('the day of a cycle is the calendar day in Kampala', () => {
  assert.equal(cycleDay(new Date('2026-01-31T20:59:59.999Z')), '20260131')
  assert.equal(cycleDay(new Date('2026-01-31T21:00:00.000Z')), '20260201')
  assert.equal(cycleDay(new Date('2028-02-28T21:00:00.000Z')), '20280229')
})
