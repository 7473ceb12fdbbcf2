import assert from 'node:assert/strict'
import test from 'node:test'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { parsePeriod } from './period.ts'

test('a month is read with its name, its bounds in Kampala and whether a PDF is wanted', () => {
  const july = {
    name: '2026-07',
    label: 'July 2026',
    start: new Date('2026-06-30T21:00:00Z'),
    end: new Date('2026-07-31T21:00:00Z'),
  }
  assert.deepEqual(parsePeriod('2026-07'), { period: july, pdf: false })
  assert.deepEqual(parsePeriod('2026-07.pdf'), { period: july, pdf: true })
  assert.equal(parsePeriod('2024-02').period.end.toISOString(), '2024-02-29T21:00:00.000Z')
  assert.equal(parsePeriod('2026-12').period.label, 'December 2026')
})

for (const text of [
  '',
  '2026',
  '2026-7',
  '2026-13',
  '2026-00',
  '0000-01',
  '202607',
  ' 2026-07',
  '2026-07\n',
  '2026-07.PDF',
])
  test(`${JSON.stringify(text)} is no month`, () => {
    assert.throws(() => parsePeriod(text), {
      message: 'period must be YYYY-MM (optionally .pdf)',
      status: 400,
    })
  })

test('moments outside the years that SQL can write are before or after everything', () => {
  assert.equal(formatSqlTime(parsePeriod('0001-01').period.start), '-infinity')
  assert.equal(formatSqlTime(parsePeriod('9999-12').period.end), '9999-12-31T21:00:00.000Z')
  assert.equal(formatSqlTime(new Date(253_402_300_800_000)), 'infinity')
})
