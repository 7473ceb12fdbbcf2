import { createHash, hash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { domainRefusal } from '../../../platform/refusal.ts'
import { echo, hasForbiddenControl } from '../../../platform/text/text.ts'
import type { AllowedCurrencies } from './statement-currency.ts'
import { normalizeNumber } from './statement-differences.ts'

/** One line of the operator's own list of transactions (rails.md 5.1). Amounts are whole UGX. */
export type StatementLine = {
  /** Its line number in the file. */
  line: number
  digest: Buffer
  /** The operator's own number: digits without leading zeros. */
  railTransactionId: string | null
  externalId: string | null
  type: 'collect' | 'disburse' | 'charge' | 'other'
  amount: number
  fee: number
  tax: number
  currency: string
  at: Date
  status: string
}

const COLUMNS = [
  'rail_transaction_id',
  'external_id',
  'type',
  'amount',
  'fee',
  'tax',
  'currency',
  'at',
  'status',
] as const
type StatementColumn = (typeof COLUMNS)[number]
/** The header's names of our columns, where they differ from ours. */
export type ColumnNames = Partial<Record<StatementColumn, string>>
const TYPES = ['collect', 'disburse', 'charge', 'other'] as const
// Longer lines are not lines of a statement.
const MAX_LINE_LENGTH = 8192
const MAX_TEXT_LENGTH = 100
const WHOLE = /^[0-9]{1,12}$/
const DIGITS = /^[0-9]{1,40}$/
// Times outside of these years are not times of a statement.
const YEARS = { first: 2000, last: 2199 }
const KAMPALA = '+03:00'

export const lineRefusal = (line: number, says: string) => domainRefusal('bad_statement', `line ${line}: ${says}`)

/** A source of a statement's bytes; each `open` reads them from the beginning. */
export type StatementSource = { name: string; open(): Readable }

/** A file on this machine. */
export const fromPath = (path: string): StatementSource => ({
  name: path.split('/').at(-1) ?? '',
  open: () => createReadStream(path),
})

/** The SHA-256 of a source. */
export async function hashSource(source: StatementSource): Promise<Buffer> {
  const digest = createHash('sha256')
  for await (const bytes of source.open()) digest.update(bytes)
  return digest.digest()
}

const SLICE_BYTES = 65_536

/** Uploaded bytes, read in slices so that other requests are answered between them. */
export const fromBytes = (name: string, bytes: Buffer): StatementSource => ({
  name,
  open: () => Readable.from(sliceBytes(bytes)),
})

function* sliceBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES)
}

/**
 * Reads a statement line by line, in constant memory. A file of another operator names its columns in `names`. Throws a refusal
 * that names the first line that cannot be read, or is in another currency than these.
 */
export async function* readStatement(
  source: StatementSource,
  { names = {}, currencies }: { names?: ColumnNames; currencies: AllowedCurrencies },
): AsyncGenerator<StatementLine> {
  const rows = source.open().pipe(
    parse({
      bom: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_LINE_LENGTH,
      info: true,
      relax_column_count: true,
    }),
  )
  let indexes: Map<StatementColumn, number> | null = null
  try {
    for await (const { record, info } of rows as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      if (indexes === null) indexes = findColumns(record, names)
      else yield parseLine(record, { indexes, currencies, line: info.lines })
    }
  } catch (error) {
    throw explainFault(error)
  }
  if (indexes === null) throw domainRefusal('bad_statement', 'the file is empty')
}

const isColumn = (name: string): name is StatementColumn => COLUMNS.some((column) => column === name)

/**
 * Reads the names of columns from a JSON file: an object from our names to those of the header. Throws a refusal that says what is wrong.
 */
export function readColumnNames(path: string): ColumnNames {
  const names = parseNames(path)
  const unknown = Object.keys(names).find((name) => !isColumn(name))
  if (unknown !== undefined)
    throw domainRefusal('bad_statement', `${unknown} is no column; there are ${COLUMNS.join(', ')}`)
  if (Object.values(names).some((name) => typeof name !== 'string' || name === ''))
    throw domainRefusal('bad_statement', 'the names of columns must be text')
  return names
}

function parseNames(path: string): ColumnNames {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw domainRefusal('bad_statement', 'the names of columns must be a JSON object')
}

/** Explains an error of the parser as a refusal; other errors stay as they are. */
function explainFault(error: unknown): unknown {
  const { code, lines } = error as { code?: string; lines?: number }
  if (code?.startsWith('CSV_')) return lineRefusal(lines ?? 0, 'this is no CSV')
  return error
}

function findColumns(header: readonly string[], names: ColumnNames): Map<StatementColumn, number> {
  const lowerCase = header.map((name) => name.toLowerCase())
  const indexes = new Map(COLUMNS.map((column) => [column, lowerCase.indexOf((names[column] ?? column).toLowerCase())]))
  const missing = COLUMNS.filter((column) => !['fee', 'tax'].includes(column) && (indexes.get(column) ?? -1) < 0)
  if (missing.length > 0) throw domainRefusal('bad_statement', `the header lacks ${missing.join(', ')}`)
  return indexes
}

function parseLine(
  record: readonly string[],
  {
    indexes,
    currencies,
    line,
  }: { indexes: ReadonlyMap<StatementColumn, number>; currencies: AllowedCurrencies; line: number },
): StatementLine {
  // Trims blanks of every kind, the non-breaking one of spreadsheets too.
  const cell = (column: StatementColumn) => {
    const value = (record[indexes.get(column) ?? -1] ?? '').trim()
    if (hasForbiddenControl(value, false)) throw lineRefusal(line, `${column} contains control characters`)
    return value
  }
  const text = (column: StatementColumn) => {
    const value = cell(column)
    if (value.length > MAX_TEXT_LENGTH) throw lineRefusal(line, `${column} is too long`)
    return value === '' ? null : value
  }
  const whole = (column: StatementColumn, missing?: number) => {
    const value = cell(column).replace(/\.0+$/, '')
    if (value === '' && missing !== undefined) return missing
    if (!WHOLE.test(value)) throw lineRefusal(line, `${column} must be whole shillings`)
    return Number(value)
  }
  const type = TYPES.find((known) => known === cell('type').toLowerCase())
  if (type === undefined) throw lineRefusal(line, `type must be one of ${TYPES.join(', ')}`)
  const facts = {
    railTransactionId: parseNumber(cell('rail_transaction_id'), line),
    externalId: text('external_id'),
    type,
    amount: whole('amount'),
    fee: whole('fee', 0),
    tax: whole('tax', 0),
    currency: parseCurrency(cell('currency'), currencies, line),
    at: parseTime(cell('at'), line),
    status: cell('status').toUpperCase(),
  }
  if (facts.railTransactionId === null && facts.externalId === null)
    throw lineRefusal(line, 'rail_transaction_id or external_id is needed')
  return { ...facts, line, digest: hash('sha256', JSON.stringify(facts), 'buffer') }
}

/** Parses a currency. An empty one is accepted as ours. */
function parseCurrency(text: string, { allowed, text: said }: AllowedCurrencies, line: number): string {
  const currency = text.toUpperCase()
  if (currency !== '' && !allowed.has(currency)) throw lineRefusal(line, `currency must be ${said}, not ${echo(text)}`)
  return currency
}

/** Parses the operator's number. A spreadsheet makes 2.00E+09 or 2000000002.0 of it, from which the number cannot be recovered. */
function parseNumber(text: string, line: number): string | null {
  if (text === '') return null
  if (!DIGITS.test(text))
    throw lineRefusal(
      line,
      `rail_transaction_id must be the operator's number in digits, like 2000000002, not ${echo(text)}`,
    )
  return normalizeNumber(text)
}

/** Parses a time; without a zone it is in Kampala. */
function parseTime(text: string, line: number): Date {
  const written = /(?:Z|[+-][0-9]{2}:?[0-9]{2})$/i.test(text) ? text : `${text.replace(' ', 'T')}${KAMPALA}`
  const at = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}/.test(text) ? new Date(written) : null
  const year = at?.getUTCFullYear() ?? Number.NaN
  if (at === null || !(year >= YEARS.first && year <= YEARS.last))
    throw lineRefusal(line, 'at must be a time like 2026-07-01T10:00:00+03:00')
  return at
}
