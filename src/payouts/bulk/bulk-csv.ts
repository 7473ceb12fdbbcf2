import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { looksLikeJson } from '../../http/body-content.ts'
import { letOthersRun } from '../../platform/let-others-run.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { GivenItem } from './bulk-item.ts'

type Field = 'phone' | 'amount' | 'name' | 'reference' | 'channel'
export type CsvRow = { cells: string[]; line: number }
/** What somebody wrote into a line, whatever can be read of it. */
export type Written = Readonly<Record<'phone' | 'amount' | 'name' | 'reference', string>>
export type CsvLine = { line: number; item: GivenItem; written: Written }
/** What the parser tells of a row. */
type Parsed = { record: string[]; info: { lines: number } }
/** Where each field stands in a row, and how many cells a row has. */
type Columns = { places: ReadonlyMap<Field, number>; width: number }

// Header names and what they mean (G12); every other column is ignored.
const FIELDS: Readonly<Record<string, Field>> = {
  phone: 'phone',
  msisdn: 'phone',
  number: 'phone',
  amount: 'amount',
  name: 'name',
  reference: 'reference',
  ref: 'reference',
  channel: 'channel',
}
// Longer than any valid row; a file without line ends is refused here.
const LONGEST_ROW = 32_768
// A row has a handful of cells. Each costs the parser as much time as some dozen bytes.
const MOST_CELLS = 256
const SLICE = 32 * 1024
const [LF, COMMA] = [0x0a, 0x2c]
const UNREADABLE = 'CSV cannot be read; is it JSON? then send Content-Type: application/json'
const TOO_MANY_CELLS = `CSV has a row of more than ${MOST_CELLS} cells`
const ROW_TOO_LONG = `CSV has a row of more than ${LONGEST_ROW} bytes`
const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'CSV has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: ROW_TOO_LONG,
}
const DIGITS = /^\d+$/
const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/
// The largest JavaScript number has 309 digits; a longer text is not searched for commas.
const LONGEST_THOUSANDS = 500

export const CSV_EXAMPLE = `phone,amount,name,reference
0700000000,5000,Akello Grace,salary-2026-07-001
0700000001,"10,000",Okot James,salary-2026-07-002
`

/**
 * The rows of a bulk CSV as items (G12), no more than one above `most`. Throws `invalid request: ...` for a problem of the
 * whole file; a problem of one row fails that item only.
 */
export async function readCsvItems(bytes: Buffer, most: number): Promise<GivenItem[]> {
  return (await readCsvLines(bytes, most)).map(({ item }) => item)
}

/** The same, each with the number of its line (of its last one, where a quoted cell goes over several) and its cells as they were written. */
export async function readCsvLines(bytes: Buffer, most: number): Promise<CsvLine[]> {
  const [header, ...rows] = await readCsvRows(bytes, most + 2)
  if (header === undefined) return []
  const columns = readHeader(header.cells)
  return rows.map(({ cells, line }) => ({
    item: readRow(cells, columns),
    line,
    written: writtenIn(cells, columns),
  }))
}

/** The rows of a CSV as they stand, the header among them. Throws `invalid request: ...` for a problem of the whole file. */
export async function readCsvRows(bytes: Buffer, most: number): Promise<CsvRow[]> {
  if (!isUtf8(bytes)) throw invalidRequest('CSV is not valid UTF-8')
  boundLines(bytes)
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    trim: true,
    skip_empty_lines: true,
    // A wrong row fails its own item only.
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LONGEST_ROW,
    info: true,
    to: most,
  })
  try {
    // Errors of either stream are thrown where the rows are read.
    return await rowsOf(pipeline(Readable.from(slicesOf(bytes)), parser, () => {}))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidRequest(PROBLEMS[error.code] ?? UNREADABLE)
  }
}

/** Refuses lines that are too long before anything is parsed, by reading each byte once. */
function boundLines(bytes: Buffer): void {
  let start = 0
  let commas = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === COMMA) commas += 1
    const tooLong = at - start > LONGEST_ROW
    if (commas >= MOST_CELLS || tooLong)
      throw invalidRequest(looksLikeJson(bytes) ? UNREADABLE : tooLong ? ROW_TOO_LONG : TOO_MANY_CELLS)
    if (byte === LF) {
      start = at
      commas = 0
    }
  }
}

/** Slices of a file, with other requests between them. */
async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE)
    if (bytes.length > SLICE) await letOthersRun()
  }
}

async function rowsOf(parsed: AsyncIterable<Parsed>): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  for await (const { record, info } of parsed) rows.push({ cells: record, line: info.lines })
  return rows
}

function readHeader(cells: readonly string[]): Columns {
  const places = new Map<Field, number>()
  for (const [at, cell] of cells.entries()) {
    const name = cell.toLowerCase()
    if (!Object.hasOwn(FIELDS, name)) continue
    const field = FIELDS[name] as Field // The name is one of its own.
    if (places.has(field)) throw invalidRequest(`CSV header names ${field} twice`)
    places.set(field, at)
  }
  if (!places.has('phone') || !places.has('amount'))
    throw invalidRequest('CSV header must name phone and amount')
  return { places, width: cells.length }
}

function readRow(cells: readonly string[], { places, width }: Columns): GivenItem {
  if (cells.length !== width) return { problem: `row has ${cellsOf(cells.length)}, the header has ${width}` }
  const cell = (field: Field) => cells[places.get(field) ?? -1]
  return {
    fields: {
      amount: readAmount(cell('amount') ?? ''),
      recipient: { phone: cell('phone'), name: cell('name') },
      channel: cell('channel'),
      reference: cell('reference'),
    },
  }
}

function writtenIn(cells: readonly string[], { places }: Columns): Written {
  const cell = (field: Field) => cells[places.get(field) ?? -1] ?? ''
  return { phone: cell('phone'), amount: cell('amount'), name: cell('name'), reference: cell('reference') }
}

/** A number of digits, with or without commas between the thousands; anything else stays a text, which is no amount. */
function readAmount(text: string): number | string {
  if (DIGITS.test(text)) return Number(text)
  return text.length <= LONGEST_THOUSANDS && THOUSANDS.test(text) ? Number(text.replaceAll(',', '')) : text
}

const cellsOf = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
