import { readPhone, whyNoPhone } from '../platform/phone.ts'
import { invalidRequest } from '../platform/refusal.ts'
import { asSeen } from '../platform/text.ts'

const MOST = 1000
const LONGEST_NAME = 200
const TOLD = 5
const HEADER = /^\s*phone\b/i
// A row that a spreadsheet has left empty is separators alone.
const HAS_WORDS = /[^\s,;"]/

/** Recipients of a schedule as a request has them. */
export type RecipientLine = { phone: string; name?: string }

/**
 * The recipients in pasted lines "phone,name": the name is optional and may hold commas; blank lines and a first line of headings are
 * skipped. Throws `invalid request: ...` that names every wrong line, up to five.
 */
export function readRecipientLines(text: string): RecipientLine[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const written = lines.filter(
    ({ line, number }) => HAS_WORDS.test(line) && !(number === 1 && HEADER.test(line)),
  )
  if (written.length === 0) throw invalidRequest('recipients: write one line for each, phone,name')
  if (written.length > MOST) throw invalidRequest(`recipients supports at most ${MOST} entries`)
  const read = written.map(({ line, number }) => ({ ...readLine(line), number }))
  const wrong = read.filter(({ phone, name }) => phone === null || name.length > LONGEST_NAME)
  const [first] = wrong
  if (first)
    throw wrongLines(
      wrong.map(({ number }) => number),
      whyNoPhone(first.written),
    )
  return read.map(({ phone, name }) => ({ phone: phone ?? '', ...(name === '' ? {} : { name }) }))
}

function readLine(line: string): { phone: string | null; written: string; name: string } {
  const [first = '', ...name] = line.split(/[,\t;]/)
  const written = asSeen(first)
  const joined = name.join(',').trim()
  return { phone: readPhone(written), written, name: joined.replace(/^"(.*)"$/, '$1') }
}

/** `why` is about the first of them. */
function wrongLines(numbers: readonly number[], why: string) {
  const told = numbers.slice(0, TOLD).join(', ')
  const more = numbers.length > TOLD ? ` and ${numbers.length - TOLD} more` : ''
  return invalidRequest(
    `recipients: ${numbers.length === 1 ? 'line' : 'lines'} ${told}${more}: write a phone, a comma and a name${why}`,
  )
}
