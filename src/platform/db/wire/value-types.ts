import pg from 'pg'
import { parseSum } from '../../sums.ts'
import { parseExactJson } from '../../text/exact-json.ts'

const readAnyTime = pg.types.getTypeParser(1184, 'text') as (text: string) => Date
const UTC_TIME = 22 // Characters of `2026-01-01 00:00:00+00`.

/** Sets how values of the server are parsed, once for every connection of this process. */
export function setValueTypes(): void {
  // Only a sum over very many rows is a bigint; arithmetic that expects a number throws on it.
  pg.types.setTypeParser(20, parseSum)
  pg.types.setTypeParser(1700, parseSum)
  pg.types.setTypeParser(1184, parseUtcTime)
  // Values of type `json` keep all digits: goods of machines contain numbers that a JavaScript number cannot hold.
  pg.types.setTypeParser(114, parseExactJson)
}

/** Parses a timestamptz as the server writes it in UTC. The driver's own parser is several times slower; it parses all other forms. */
function parseUtcTime(text: string): Date {
  if (text.length < UTC_TIME || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) return readAnyTime(text)
  const ms = text.charCodeAt(19) === POINT ? digit(text, 20) * 100 + digit(text, 21) * 10 + digit(text, 22) : 0
  const year = two(text, 0) * 100 + two(text, 2)
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms))
}

const POINT = 46
const ZERO = 48
const two = (text: string, at: number) => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
/** A digit of the fraction. After its end comes the `+` of the zone, which counts as zero. */
const digit = (text: string, at: number) => Math.max(0, text.charCodeAt(at) - ZERO)
