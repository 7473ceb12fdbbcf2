import { invalidRequest } from '../../platform/refusal.ts'
import { explainInvalidPhone, parsePhone } from '../../platform/text/phone.ts'
import { cleanTyped } from '../../platform/text/text.ts'

const MAX_LINES = 1000
const MAX_NAME_CHARACTERS = 200
const MAX_LINES_NAMED = 5
const HEADER = /^\s*phone\b/i
// An empty row of a spreadsheet is pasted as separators alone.
const HAS_CONTENT = /[^\s,;"]/

/** A recipient of a schedule as the body of a request has it. */
export type RecipientLine = { phone: string; name?: string }

/**
 * Parses pasted lines "phone,name". The name is optional and may contain commas; blank lines and a first line of headings are
 * skipped. Throws `invalid request: ...` that names the wrong lines, up to five.
 */
export function parseRecipientLines(text: string): RecipientLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const written = lines.filter(({ line, number }) => HAS_CONTENT.test(line) && !(number === 1 && HEADER.test(line)))
  if (written.length === 0) throw invalidRequest('recipients: write one line for each, phone,name')
  if (written.length > MAX_LINES) throw invalidRequest(`recipients supports at most ${MAX_LINES} entries`)
  const parsed = written.map(({ line, number }) => ({ ...parseLine(line), number }))
  const wrong = parsed.filter(({ phone, name }) => phone === null || name.length > MAX_NAME_CHARACTERS)
  const [first] = wrong
  if (first)
    throw wrongLines(
      wrong.map(({ number }) => number),
      explainInvalidPhone(first.written),
    )
  return parsed.map(({ phone, name }) => ({ phone: phone ?? '', ...(name === '' ? {} : { name }) }))
}

function parseLine(line: string): { phone: string | null; written: string; name: string } {
  const [first = '', ...name] = line.split(/[,\t;]/)
  const written = cleanTyped(first)
  const joined = name.join(',').trim()
  return { phone: parsePhone(written), written, name: joined.replace(/^"(.*)"$/, '$1') }
}

/** Makes the refusal. `why`: the fault of the first wrong line. */
function wrongLines(numbers: readonly number[], why: string) {
  const named = numbers.slice(0, MAX_LINES_NAMED).join(', ')
  const more = numbers.length > MAX_LINES_NAMED ? ` and ${numbers.length - MAX_LINES_NAMED} more` : ''
  return invalidRequest(
    `recipients: ${numbers.length === 1 ? 'line' : 'lines'} ${named}${more}: write a phone, a comma and a name${why}`,
  )
}
