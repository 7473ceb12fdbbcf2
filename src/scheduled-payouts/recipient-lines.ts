import { readPhone, whyNoPhone } from '../platform/phone.ts'
import { invalidRequest } from '../platform/refusal.ts'
import { asSeen } from '../platform/text.ts'

const MOST = 1000
const LONGEST_NAME = 200
const TOLD = 5
const HEADER = /^\s*phone\b/i
// An empty row of a spreadsheet is pasted as separators alone.
const HAS_WORDS = /[^\s,;"]/

/** A recipient of a schedule as the body of a request has it. */
export type RecipientLine = { phone: string; name?: string }

/**
 * Parses pasted lines "phone,name". The name is optional and may contain commas; blank lines and a first line of headings are
 * skipped. Throws `invalid request: ...` that names the wrong lines, up to five.
 */
export function readRecipientLines(text: string): RecipientLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const written = lines.filter(
    ({ line, number }) => HAS_WORDS.test(line) && !(number === 1 && HEADER.test(line)),
  )
  if (written.length === 0) throw invalidRequest('recipients: write one line for each, phone,name')
  if (written.length > MOST) throw invalidRequest(`recipients supports at most ${MOST} entries`)
  const parsed = written.map(({ line, number }) => ({ ...readLine(line), number }))
  const wrong = parsed.filter(({ phone, name }) => phone === null || name.length > LONGEST_NAME)
  const [first] = wrong
  if (first)
    throw wrongLines(
      wrong.map(({ number }) => number),
      whyNoPhone(first.written),
    )
  return parsed.map(({ phone, name }) => ({ phone: phone ?? '', ...(name === '' ? {} : { name }) }))
}

function readLine(line: string): { phone: string | null; written: string; name: string } {
  const [first = '', ...name] = line.split(/[,\t;]/)
  const written = asSeen(first)
  const joined = name.join(',').trim()
  return { phone: readPhone(written), written, name: joined.replace(/^"(.*)"$/, '$1') }
}

/** Makes the refusal. `why`: the fault of the first wrong line. */
function wrongLines(numbers: readonly number[], why: string) {
  const named = numbers.slice(0, TOLD).join(', ')
  const more = numbers.length > TOLD ? ` and ${numbers.length - TOLD} more` : ''
  return invalidRequest(
    `recipients: ${numbers.length === 1 ? 'line' : 'lines'} ${named}${more}: write a phone, a comma and a name${why}`,
  )
}
