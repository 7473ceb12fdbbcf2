import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { looksLikeJson } from '../../http/body-content.ts'
import { letOthersRun } from '../../platform/let-others-run.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { GivenItem } from './bulk-item.ts'
import { type Dialect, dialectOf, saysSeparator } from './csv-dialect.ts'
import { type Columns, type Field, readHeader } from './csv-header.ts'

export type CsvRow = { cells: string[]; line: number }
/** The cells of a line as its author wrote them, whether they can be read or not. */
export type Written = Readonly<Record<'phone' | 'amount' | 'name' | 'reference', string>>
type CsvLine = { line: number; item: GivenItem; written: Written }
/** A row as the parser returns it. */
type Parsed = { record: string[]; info: { lines: number } }

// Longer than any valid row. It also refuses a file without line ends.
const LONGEST_ROW = 32_768
// A valid row has a handful of cells. Each cell costs the parser as much time as some dozen bytes.
const MOST_CELLS = 256
// Rows that hold only empty quotes are parsed, so their number is limited.
const MOST_EMPTY = 10_000
const SLICE = 32 * 1024
// The parser makes an error, with its stack, for each row of another width than the header.
const ROWS_OF_SLICE = 200
// Space, tab, carriage return.
const BLANKS = [0x20, 0x09, 0x0d]
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
 * Parses the rows of a bulk CSV as items (G12), at most one more than `limit`. Throws `invalid request: ...` for a problem of the
 * whole file; a problem of one row fails that item only.
 */
export async function readCsvItems(bytes: Buffer, limit: number): Promise<GivenItem[]> {
  return (await readCsvLines(bytes, limit)).map(({ item }) => item)
}

/** Parses the rows as parseCsvItems does, each with the number of its line (the last one of a quoted cell with line ends) and its cells as written. */
export async function readCsvLines(bytes: Buffer, limit: number): Promise<CsvLine[]> {
  const dialect = dialectOf(bytes)
  const [header, ...rows] = await readRows(bytes, { limit: limit + 2, dialect })
  if (header === undefined) return []
  const columns = readHeader(header.cells)
  return rows.map(({ cells, line }) => ({
    item: readRow(cells, columns, dialect),
    line,
    written: writtenIn(cells, columns),
  }))
}

/** Parses the rows of a CSV into cells, the header included. Throws `invalid request: ...` for a problem of the whole file. */
export const readCsvRows = (bytes: Buffer, limit: number): Promise<CsvRow[]> =>
  readRows(bytes, { limit, dialect: dialectOf(bytes) })

type Reading = { limit: number; dialect: Dialect }

async function readRows(bytes: Buffer, { limit, dialect }: Reading): Promise<CsvRow[]> {
  if (!isUtf8(bytes)) throw invalidRequest('CSV is not valid UTF-8')
  boundLines(bytes, dialect)
  const parser = parse({
    bom: true,
    delimiter: dialect.separator,
    record_delimiter: dialect.lineEnds,
    trim: true,
    skip_empty_lines: true,
    // A wrong row fails its own item only.
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LONGEST_ROW,
    info: true,
  })
  try {
    // Errors of either stream are thrown where the rows are read.
    const slices = Readable.from(slicesOf(bytes, dialect))
    return await rowsOf(
      pipeline(slices, parser, () => {}),
      limit,
    )
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidRequest(PROBLEMS[error.code] ?? UNREADABLE)
  }
}

/** Returns the last byte of a line end. */
const lineEndOf = ({ lineEnds }: Pick<Dialect, 'lineEnds'>): number => lineEnds.at(-1)?.charCodeAt(0) ?? 0

/** Refuses lines that are too long, before anything is parsed, by reading each byte once. */
function boundLines(bytes: Buffer, { separator, lineEnds }: Dialect): void {
  const [between, end] = [separator.charCodeAt(0), lineEndOf({ lineEnds })]
  let start = 0
  let separators = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === between) separators += 1
    const tooLong = at - start > LONGEST_ROW
    if (separators >= MOST_CELLS || tooLong)
      throw invalidRequest(looksLikeJson(bytes) ? UNREADABLE : tooLong ? ROW_TOO_LONG : TOO_MANY_CELLS)
    if (byte === end) {
      start = at
      separators = 0
    }
  }
}

/** Empties the lines that hold only separators and blanks, of which a spreadsheet leaves thousands below a table. The number of lines stays. */
function withoutEmptyRows(bytes: Buffer, { separator, lineEnds }: Dialect): Buffer {
  const end = lineEndOf({ lineEnds })
  const blank = [separator.charCodeAt(0), ...BLANKS]
  const output = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let start = 0
  let isEmpty = true
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte !== end && byte !== undefined) {
      isEmpty &&= blank.includes(byte)
      continue
    }
    length += isEmpty ? 0 : bytes.copy(output, length, start, at)
    if (byte !== undefined) output[length++] = byte
    start = at + 1
    isEmpty = true
  }
  return output.subarray(0, length)
}

/** Yields slices of a file that end with a line, without the content of empty rows. Other requests run between them. */
async function* slicesOf(bytes: Buffer, dialect: Dialect): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = endOfSlice(bytes, at, lineEndOf(dialect))
    yield withoutEmptyRows(bytes.subarray(at, end), dialect)
    at = end
    await letOthersRun()
  }
}

function endOfSlice(bytes: Buffer, start: number, lineEnd: number): number {
  let end = start
  for (let rows = 0; rows < ROWS_OF_SLICE && end - start < SLICE && end < bytes.length; rows += 1) {
    const index = bytes.indexOf(lineEnd, end)
    end = index === -1 ? bytes.length : index + 1
  }
  return end
}

async function rowsOf(parsed: AsyncIterable<Parsed>, limit: number): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  let empty = 0
  for await (const { record, info } of parsed) {
    if (record.every((cell) => cell.trim() === '')) empty += 1
    else if (rows.length > 0 || !saysSeparator(record)) rows.push({ cells: record, line: info.lines })
    if (empty > MOST_EMPTY) throw invalidRequest(`CSV has more than ${MOST_EMPTY} empty rows`)
    if (rows.length === limit) break
    // Without a pause here the parser would parse everything that waits in one go.
    if ((rows.length + empty) % ROWS_OF_SLICE === 0) await letOthersRun()
  }
  return rows
}

function readRow(cells: readonly string[], { places, width }: Columns, { separator }: Dialect): GivenItem {
  if (cells.length !== width) return { problem: `row has ${cellsOf(cells.length)}, the header has ${width}` }
  const cell = (field: Field) => cells[places.get(field) ?? -1]
  return {
    fields: {
      amount: readAmount(cell('amount') ?? '', separator !== ';'),
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

/**
 * Parses digits, with or without commas between the thousands; any other text is returned as it is, and is no valid amount. A file that
 * separates cells by semicolons writes `1,500` for one and a half, so there commas are not read as thousands.
 */
function readAmount(text: string, mayHaveCommas: boolean): number | string {
  if (DIGITS.test(text)) return Number(text)
  const isThousands = mayHaveCommas && text.length <= LONGEST_THOUSANDS && THOUSANDS.test(text)
  return isThousands ? Number(text.replaceAll(',', '')) : text
}

const cellsOf = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
