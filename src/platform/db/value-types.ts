import pg from 'pg'
import { readExact } from '../exact-json.ts'
import { readSum } from '../sums.ts'

const readAnyTime = pg.types.getTypeParser(1184, 'text') as (text: string) => Date
const UTC_TIME = 22 // Characters of `2026-01-01 00:00:00+00`.

/** How values of the server are read. Set once for every connection of this process. */
export function setValueTypes(): void {
  // Only a sum over very many rows is a bigint; arithmetic that expects a number throws on it.
  pg.types.setTypeParser(20, readSum)
  pg.types.setTypeParser(1700, readSum)
  pg.types.setTypeParser(1184, readTime)
  // Values of type `json` keep all digits: goods of machines contain numbers that a JavaScript number cannot hold.
  pg.types.setTypeParser(114, readExact)
}

/** A timestamptz as the server writes it in UTC; the driver's own parser is several times slower and reads all else. */
function readTime(text: string): Date {
  if (text.length < UTC_TIME || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) return readAnyTime(text)
  const part = (from: number, to: number) => Number(text.slice(from, to))
  const ms = text.charCodeAt(19) === 46 ? Math.floor(Number(`0${text.slice(19, -3)}`) * 1000 + 1e-6) : 0
  return new Date(
    Date.UTC(part(0, 4), part(5, 7) - 1, part(8, 10), part(11, 13), part(14, 16), part(17, 19), ms),
  )
}
