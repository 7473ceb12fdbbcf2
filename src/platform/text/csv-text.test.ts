import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { formatCsvLines, unguardCell } from './csv-text.ts'

const FORMULAS = [
  '=1+1',
  '+256',
  '-1+1',
  '@SUM(A1)',
  '\uff1d1+1',
  '  =1+1',
  '\u00a0=1+1',
  '\u200b=1+1',
  '\u2066\u200e =1+1',
  '\ufeff=1+1',
  '\u00ad+1',
  '\tx',
  '\rx',
]

for (const text of FORMULAS)
  test(`${JSON.stringify(text)} is written behind an apostrophe, and read again without it`, () => {
    const [written = ''] = parse(formatCsvLines([[text]]), { record_delimiter: '\r\n' })[0] ?? []
    equal(written, `'${text}`)
    equal(unguardCell(`'${text}`), text)
  })

test('other words stay as they are, numbers too, and a NUL of a database is an empty cell', () => {
  for (const text of ['a=1', 'Okot-James', "'tis", "'", '', '256772123456', ' x', '\u200bx'])
    equal(formatCsvLines([[text, -5, null]]).split(',')[0], text)
  equal(formatCsvLines([['a,b', -5, null, 'é'], ['q"q']]), '"a,b",-5,,é\r\n"q""q"\r\n')
  for (const text of ["'tis", 'x', "'"]) equal(unguardCell(text), text)
})

test('a long cell of blanks is soon judged', () => {
  const long = `${' '.repeat(2_000_000)}x`
  equal(formatCsvLines([[long]]), `${long}\r\n`)
})
