import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { letOthersRun } from '../../../platform/batches/let-others-run.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { looksLikeJson } from '../../../platform/text/strict-json.ts'
import type { UncheckedItem } from './bulk-item.ts'
import { type CsvDialect, detectDialect, isSeparatorLine } from './csv-dialect.ts'
import { requireUtf8 } from './csv-encoding.ts'
import { type CsvColumns, type CsvField, parseHeader } from './csv-header.ts'
import { parseMetadataCell } from './metadata-cell.ts'

export type CsvRow = { cells: string[]; line: number }
/** The cells of a line as its author wrote them, whether they can be read or not. */
export type WrittenCells = Readonly<Record<'phone' | 'amount' | 'name' | 'reference' | 'metadata', string>>
type CsvLine = { line: number; item: UncheckedItem; written: WrittenCells }
/** A row as the parser returns it. */
type ParsedRecord = { record: string[]; info: { lines: number } }

// Longer than any valid row: metadata of 10,800 characters may have four bytes each. It also refuses a file without line ends.
const MAX_ROW_BYTES = 65_536
// A valid row has a handful of cells. Each cell costs the parser as much time as some dozen bytes.
const MAX_CELLS = 256
// Rows that hold only empty quotes are parsed, so their number is limited.
const MAX_EMPTY_ROWS = 10_000
const SLICE_BYTES = 32 * 1024
// The parser makes an error, with its stack, for each row of another width than the header.
const ROWS_PER_SLICE = 200
// Space, tab, carriage return.
const BLANK_BYTES = [0x20, 0x09, 0x0d]
const UNREADABLE = 'CSV cannot be read; is it JSON? then send Content-Type: application/json'
const TOO_MANY_CELLS = `CSV has a row of more than ${MAX_CELLS} cells`
const ROW_TOO_LONG = `CSV has a row of more than ${MAX_ROW_BYTES} bytes`
const PARSER_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'CSV has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: ROW_TOO_LONG,
}
const DIGITS = /^\d+$/
const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/
// The largest JavaScript number has 309 digits; a longer text is not searched for commas.
const MAX_THOUSANDS_CHARACTERS = 500

export const CSV_EXAMPLE = `phone,amount,name,reference,metadata
0700000000,5000,Akello Grace,salary-2026-07-001,"{""branch"":""Ntinda""}"
0700000001,"10,000",Okot James,salary-2026-07-002,
`

/**
 * Parses the rows of a bulk CSV as items (G12), at most one more than `limit`. Throws `invalid request: ...` for a problem of the
 * whole file; a problem of one row fails that item only.
 */
export async function parseCsvItems(bytes: Buffer, limit: number): Promise<UncheckedItem[]> {
  return (await parseCsvLines(bytes, limit)).map(({ item }) => item)
}

/** Parses the rows as parseCsvItems does, each with the number of its line (the last one of a quoted cell with line ends) and its cells as written. */
export async function parseCsvLines(bytes: Buffer, limit: number): Promise<CsvLine[]> {
  const dialect = detectDialect(bytes)
  const [header, ...rows] = await parseRows(bytes, { limit: limit + 2, dialect })
  if (header === undefined) return []
  const columns = parseHeader(header.cells)
  const lines: CsvLine[] = []
  let characters = 0
  for (const { cells, line } of rows) {
    const written = pickWrittenCells(cells, columns)
    lines.push({ line, written, item: parseRow({ cells, line }, columns, dialect) })
    characters += written.metadata.length
    // Metadata may be nearly all of a file: other requests run between.
    if (characters < SLICE_BYTES) continue
    characters = 0
    await letOthersRun()
  }
  return lines
}

type CsvOptions = { limit: number; dialect: CsvDialect }

/** Parses the rows of a CSV into cells, the header included. Throws `invalid request: ...` for a problem of the whole file. */
export async function parseRows(bytes: Buffer, { limit, dialect }: CsvOptions): Promise<CsvRow[]> {
  requireUtf8(bytes)
  refuseLongLines(bytes, dialect)
  const parser = parse({
    bom: true,
    delimiter: dialect.separator,
    record_delimiter: dialect.lineEnds,
    trim: true,
    skip_empty_lines: true,
    // A wrong row fails its own item only.
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
    info: true,
  })
  try {
    // Errors of either stream are thrown where the rows are read.
    const slices = Readable.from(sliceLines(bytes, dialect))
    return await collectRows(
      pipeline(slices, parser, () => {}),
      limit,
    )
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidRequest(PARSER_PROBLEMS[error.code] ?? UNREADABLE)
  }
}

/** Returns the last byte of a line end. */
const lastByteOfLine = ({ lineEnds }: Pick<CsvDialect, 'lineEnds'>): number => lineEnds.at(-1)?.charCodeAt(0) ?? 0

/** Refuses lines that are too long, before anything is parsed, by reading each byte once. */
function refuseLongLines(bytes: Buffer, { separator, lineEnds }: CsvDialect): void {
  const [between, end] = [separator.charCodeAt(0), lastByteOfLine({ lineEnds })]
  let start = 0
  let separators = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === between) separators += 1
    const tooLong = at - start > MAX_ROW_BYTES
    if (separators >= MAX_CELLS || tooLong)
      throw invalidRequest(looksLikeJson(bytes) ? UNREADABLE : tooLong ? ROW_TOO_LONG : TOO_MANY_CELLS)
    if (byte === end) {
      start = at
      separators = 0
    }
  }
}

/** Empties the lines that hold only separators and blanks, of which a spreadsheet leaves thousands below a table. The number of lines stays. */
function withoutEmptyRows(bytes: Buffer, { separator, lineEnds }: CsvDialect): Buffer {
  const end = lastByteOfLine({ lineEnds })
  const blank = [separator.charCodeAt(0), ...BLANK_BYTES]
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
async function* sliceLines(bytes: Buffer, dialect: CsvDialect): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = findSliceEnd(bytes, at, lastByteOfLine(dialect))
    yield withoutEmptyRows(bytes.subarray(at, end), dialect)
    at = end
    await letOthersRun()
  }
}

function findSliceEnd(bytes: Buffer, start: number, lineEnd: number): number {
  let end = start
  for (let rows = 0; rows < ROWS_PER_SLICE && end - start < SLICE_BYTES && end < bytes.length; rows += 1) {
    const index = bytes.indexOf(lineEnd, end)
    end = index === -1 ? bytes.length : index + 1
  }
  return end
}

async function collectRows(parsed: AsyncIterable<ParsedRecord>, limit: number): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  let empty = 0
  for await (const { record, info } of parsed) {
    if (record.every((cell) => cell.trim() === '')) empty += 1
    else if (rows.length > 0 || !isSeparatorLine(record)) rows.push({ cells: record, line: info.lines })
    if (empty > MAX_EMPTY_ROWS) throw invalidRequest(`CSV has more than ${MAX_EMPTY_ROWS} empty rows`)
    if (rows.length === limit) break
    // Without a pause here the parser would parse everything that waits in one go.
    if ((rows.length + empty) % ROWS_PER_SLICE === 0) await letOthersRun()
  }
  return rows
}

function parseRow({ cells, line }: CsvRow, { positions, width }: CsvColumns, { separator }: CsvDialect): UncheckedItem {
  if (cells.length !== width) return { problem: `row has ${formatCellCount(cells.length)}, the header has ${width}` }
  const cell = (field: CsvField) => cells[positions.get(field) ?? -1]
  return {
    fields: {
      amount: parseAmount(cell('amount') ?? '', separator !== ';'),
      recipient: { phone: cell('phone'), name: cell('name') },
      channel: cell('channel'),
      reference: cell('reference'),
    },
    metadataCell: parseMetadataCell(cell('metadata') ?? '', { line, column: 'metadata' }),
  }
}

function pickWrittenCells(cells: readonly string[], { positions }: CsvColumns): WrittenCells {
  const cell = (field: CsvField) => cells[positions.get(field) ?? -1] ?? ''
  return {
    ...{ phone: cell('phone'), amount: cell('amount'), name: cell('name') },
    ...{ reference: cell('reference'), metadata: cell('metadata') },
  }
}

/**
 * Parses digits, with or without commas between the thousands; any other text is returned as it is, and is no valid amount. A file that
 * separates cells by semicolons writes `1,500` for one and a half, so there commas are not read as thousands.
 */
function parseAmount(text: string, mayHaveCommas: boolean): number | string {
  if (DIGITS.test(text)) return Number(text)
  const isThousands = mayHaveCommas && text.length <= MAX_THOUSANDS_CHARACTERS && THOUSANDS.test(text)
  return isThousands ? Number(text.replaceAll(',', '')) : text
}

const formatCellCount = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
