import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { setValueTypes } from './value-types.ts'

setValueTypes()
const readTime = pg.types.getTypeParser(1184, 'text') as (text: string) => Date

test('times of the server are read to the millisecond, however many digits they have', () => {
  for (const [text, iso] of [
    ['2026-11-22 10:00:01+00', '2026-11-22T10:00:01.000Z'],
    ['2026-11-22 10:00:01.9+00', '2026-11-22T10:00:01.900Z'],
    ['2026-11-22 10:00:01.12+00', '2026-11-22T10:00:01.120Z'],
    ['2026-02-28 23:59:59.999+00', '2026-02-28T23:59:59.999Z'],
    ['2026-12-31 00:00:00.123999+00', '2026-12-31T00:00:00.123Z'],
    ['1999-01-01 12:30:45.0506+00', '1999-01-01T12:30:45.050Z'],
    ['2026-11-22 13:00:01.5+03', '2026-11-22T10:00:01.500Z'],
    ['10000-01-01 00:00:00+00', '+010000-01-01T00:00:00.000Z'],
  ] as const)
    equal(readTime(text).toISOString(), iso, text)
  equal(readTime('infinity'), Number.POSITIVE_INFINITY)
})
