import { equal, throws } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIsoTime, parseIsoTime, parseXTimestamp } from './times.ts'

const seed = randomInt(2 ** 31)
console.log(`times.test.ts seed ${seed}`)

test('X-Timestamp is read as seconds or milliseconds and nothing else', () => {
  const cases: [string, number | null][] = [
    ['1750000000', 1_750_000_000],
    ['1750000000123', 1_750_000_000],
    ['1750000000999', 1_750_000_000],
    ['99999999999', 99_999_999_999],
    ['100000000000', 100_000_000],
    ['-1', -1],
    ['-100000000001', -100_000_001],
    ['0', 0],
    ['-0', 0],
    ['0001750000000', 1_750_000_000],
    ['9007199254740991', 9_007_199_254_740],
    ['', null],
    ['-', null],
    ['+1', null],
    ['1e9', null],
    ['0x1', null],
    ['1.5', null],
    [' 1', null],
    ['1\n', null],
    ['１７５０００００００', null],
    ['17500000000000000', null],
    ['12345678901234567890', null],
  ]
  for (const [text, expected] of cases) equal(parseXTimestamp(text), expected, JSON.stringify(text))
})

test('times in queries are read as the contract says', () => {
  const cases: [string, string | null][] = [
    ['2026-07-01T09:30:00Z', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01T09:30:00.123Z', '2026-07-01T09:30:00.123Z'],
    ['2026-07-01T09:30:00.123999Z', '2026-07-01T09:30:00.123Z'],
    ['2026-07-01T09:30:00.5Z', '2026-07-01T09:30:00.500Z'],
    ['2026-07-01T09:30Z', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01T09:30:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01T12:30:00+03:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01T12:30:00 03:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01T12:30:00+0300', '2026-07-01T09:30:00.000Z'],
    ['2026-06-30T23:30:00-10:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01 09:30:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01 09:30:00+00:00', '2026-07-01T09:30:00.000Z'],
    ['2026-07-01 12:30:00.123 03:00', '2026-07-01T09:30:00.123Z'],
    ['2026-07-01', '2026-07-01T00:00:00.000Z'],
    ['2026-07-01  09:30:00', null],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-02-30', null],
    ['2026-02-29', null],
    ['2026-00-10', null],
    ['2026-13-01', null],
    ['2026-01-00', null],
    ['0000-01-01', null],
    ['0001-01-01T00:00:00+01:00', null],
    ['9999-12-31T23:59:59-01:00', null],
    ['275760-01-01', null],
    ['+275760-01-01T00:00:00Z', null],
    ['09:30', null],
    ['T09:30:00Z', null],
    ['2026-07-01T', null],
    ['2026-07-01Z', null],
    ['2026-07-01T24:00:00Z', null],
    ['2026-07-01T09:60:00Z', null],
    ['2026-07-01T09:30:60Z', null],
    ['2026-07-01T09:30:00+24:00', null],
    ['2026-07-01T09:30:00.Z', null],
    ['2026-7-1', null],
    ['2026-07', null],
    ['20260701', null],
    ['1750000000', null],
    ['2026-07-01\n', null],
    ['２０２６-07-01', null],
    ['yesterday', null],
    ['', null],
  ]
  for (const [text, expected] of cases) {
    const read = parseIsoTime(text)
    equal(read && formatIsoTime(read), expected, JSON.stringify(text))
  }
})

test('every time that is written can be read back as the same moment', () => {
  const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  const same = fc.property(date, (at) => equal(parseIsoTime(formatIsoTime(at))?.getTime(), at.getTime()))
  fc.assert(same, { seed, numRuns: 1000 })
})

test('a time is written as it is however often, and one that is none is refused', () => {
  const first = Date.UTC(2026, 10, 27, 8, 15, 0, 123)
  for (const round of [1, 2])
    for (let ms = 0; ms < 64; ms += 1)
      for (const at of [first + ms, -first - ms])
        equal(formatIsoTime(new Date(at)), new Date(at).toISOString(), `round ${round}`)
  throws(() => formatIsoTime(new Date(Number.NaN)), RangeError)
})
