import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { kampalaIso, kampalaMonth, monthBounds } from './kampala.ts'

const seed = randomInt(2 ** 31)
console.log(`kampala.test.ts seed ${seed}`)

test('a month begins and ends at midnight in Kampala', () => {
  const bounds = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) })
  deepEqual(monthBounds('2026-07'), bounds('2026-06-30T21:00:00.000Z', '2026-07-31T21:00:00.000Z'))
  deepEqual(monthBounds('2026-12'), bounds('2026-11-30T21:00:00.000Z', '2026-12-31T21:00:00.000Z'))
  deepEqual(monthBounds('2024-02'), bounds('2024-01-31T21:00:00.000Z', '2024-02-29T21:00:00.000Z'))
})

test('text that is not YYYY-MM with a real month has no bounds', () => {
  const bad = ['', '2026', '2026-0', '2026-00', '2026-13', '2026-7', '0000-01', '2026-07-01', '2026-07\n', '20260-7']
  for (const period of [...bad, '２０２６-07', '-2026-07', '2026/07', '275760-01'])
    equal(monthBounds(period), null, period)
})

test("times are written with Kampala's offset", () => {
  equal(kampalaIso(new Date('2026-07-01T09:30:00.123Z')), '2026-07-01T12:30:00.123+03:00')
  equal(kampalaIso(new Date('2026-06-30T21:00:00Z')), '2026-07-01T00:00:00.000+03:00')
})

test('any moment is written as three hours later in UTC', () => {
  const written = (ms: number) => kampalaIso(new Date(ms))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e14, max: 1e15 }), { minLength: 1 }), (times) => {
      for (const ms of times)
        for (const one of [ms, ms + 1, ms - 1])
          equal(written(one), `${new Date(one + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`)
    }),
    { seed },
  )
})

const parts = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Africa/Kampala',
  dateStyle: 'short',
  timeStyle: 'medium',
})
const date = fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })

test('the calendar is that of Africa/Kampala', () => {
  const agrees = fc.property(date, (at) => {
    const theirs = parts.format(at).replace(' ', 'T')
    equal(kampalaIso(at).slice(0, 19), theirs)
    equal(kampalaMonth(at), theirs.slice(0, 7))
    equal(new Date(kampalaIso(at)).getTime(), at.getTime())
  })
  fc.assert(agrees, { seed, numRuns: 1000 })
})

test('every moment lies in its month, and its neighbours begin where it ends', () => {
  const holds = fc.property(date, (at) => {
    const bounds = monthBounds(kampalaMonth(at))
    ok(bounds && bounds.start <= at && at < bounds.end)
    deepEqual(monthBounds(kampalaMonth(bounds.end))?.start, bounds.end)
    equal(kampalaMonth(new Date(bounds.end.getTime() - 1)), kampalaMonth(at))
  })
  fc.assert(holds, { seed, numRuns: 1000 })
})
