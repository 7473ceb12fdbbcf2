import { invalidRequest } from '../../platform/refusal.ts'
import { explainInvalidPhone, isLandline, parsePhone } from '../../platform/text/phone.ts'
import { cleanTyped } from '../../platform/text/text.ts'
import { type ColumnUse, findUse } from '../payouts/bulk/files/column-words.ts'

const MAX_LINES = 1000
const MAX_NAME_CHARACTERS = 200
const MAX_LINES_NAMED = 5
const SEPARATOR = /[,\t;|]/
const SEPARATOR_LINE = /^"?sep=[,;|\t]?"?$/i
// An empty row of a spreadsheet is pasted as separators alone.
const HAS_CONTENT = /[^\s,;|"]/

/** A recipient of a schedule as the body of a request has it. */
export type RecipientLine = { phone: string; name?: string }

/**
 * Parses pasted lines "phone,name", or with the name in front. The name is optional and may contain commas behind a phone; blank lines and
 * a first line of headings are skipped; headings say where phone and name stand. Throws `invalid request: ...` that names the wrong lines
 * and those with a landline, up to five.
 */
export function parseRecipientLines(text: string): RecipientLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const rows = lines.filter(({ line }) => HAS_CONTENT.test(line) && !SEPARATOR_LINE.test(line))
  const headings = splitCells(rows[0]?.line ?? '').map(findUse)
  const written = headings.includes('phone') ? rows.slice(1) : rows
  if (written.length === 0) throw invalidRequest('recipients: write one line for each, phone,name')
  if (written.length > MAX_LINES) throw invalidRequest(`recipients supports at most ${MAX_LINES} entries`)
  const parsed = written.map(({ line, number }) => ({ ...parseLine(splitCells(line), headings), number }))
  const wrong = parsed.filter(({ phone, name }) => phone === null || name.length > MAX_NAME_CHARACTERS)
  const [first] = wrong
  if (first)
    throw wrongLines(
      wrong.map(({ number }) => number),
      explainInvalidPhone(first.written),
    )
  const landlines = parsed.filter(({ phone }) => phone !== null && isLandline(phone))
  if (landlines.length > 0)
    throw invalidRequest(
      `recipients: ${nameLines(landlines.map(({ number }) => number))}: a landline has no mobile money; write a mobile number`,
    )
  return parsed.map(({ phone, name }) => ({ phone: phone ?? '', ...(name === '' ? {} : { name }) }))
}

const splitCells = (line: string): string[] => line.split(SEPARATOR).map(cleanTyped)

type ParsedRecipient = { phone: string | null; written: string; name: string }

function parseLine(cells: readonly string[], headings: readonly (ColumnUse | null)[]): ParsedRecipient {
  const [phoneAt, nameAt] = [headings.indexOf('phone'), headings.indexOf('name')]
  const isNamed = phoneAt >= 0 && nameAt >= 0 && cells.length === headings.length
  const first = cells.findIndex((cell) => parsePhone(cell) !== null)
  const at = isNamed ? phoneAt : Math.max(0, first)
  const written = cells[at] ?? ''
  const name = isNamed ? (cells[nameAt] ?? '') : at > 0 ? (cells[at - 1] ?? '') : cells.slice(1).join(',')
  return { phone: parsePhone(written), written, name: name.trim().replace(/^"(.*)"$/, '$1') }
}

/** Makes the refusal. `why`: the fault of the first wrong line. */
function wrongLines(numbers: readonly number[], why: string) {
  return invalidRequest(`recipients: ${nameLines(numbers)}: write a phone, a comma and a name${why}`)
}

function nameLines(numbers: readonly number[]): string {
  const named = numbers.slice(0, MAX_LINES_NAMED).join(', ')
  const more = numbers.length > MAX_LINES_NAMED ? ` and ${numbers.length - MAX_LINES_NAMED} more` : ''
  return `${numbers.length === 1 ? 'line' : 'lines'} ${named}${more}`
}
