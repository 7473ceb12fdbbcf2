import { invalidRequest } from '../../../../platform/refusal.ts'
import { readWorkbook } from '../../../../platform/spreadsheets/read-workbook.ts'
import { cleanTyped } from '../../../../platform/text/text.ts'
import { type CsvRow, parseRows } from '../bulk-csv.ts'
import type { CsvDialect } from '../csv-dialect.ts'
import { decodeText } from './decode-text.ts'

/** The rows of a file that hold something, each with its number in the file. `padded`: rows have a cell for each column, as in a CSV. */
export type ListRows = { rows: CsvRow[]; padded: boolean; separator: string | null; sheet: SheetFacts | null }
/** The sheet of a workbook that was read, and the names of some of the others. */
export type SheetFacts = { name: string; others: readonly string[]; more: number }

export const MAX_COLUMNS = 40
/** Lines above the first payment: titles, dates, headings. */
export const MAX_TOP_ROWS = 20
// Where two separators part a file equally well, the rarer one is meant: names and amounts have commas.
const SEPARATORS = ['\t', ';', '|', ','] as const
const SEPARATOR_LINE = /^\uFEFF?"?sep=([,;|\t])"?\s*$/i
const SAMPLE_CHARACTERS = 32_768
const SAMPLE_LINES = 20
const LF = '\n'

/** Reads a list of at most `limit` lines in any form in which spreadsheets save it. Throws `invalid request: ...` for what cannot be read. */
export async function readListFile(bytes: Buffer, limit: number): Promise<ListRows> {
  const text = decodeText(bytes)
  if (text !== null) return readListText(text, limit)
  const { sheet, others, sheets, rows } = await readWorkbook(bytes, {
    maxRows: limit + MAX_TOP_ROWS,
    maxColumns: MAX_COLUMNS,
  })
  return { rows, padded: false, separator: null, sheet: { name: sheet, others, more: sheets - 1 - others.length } }
}

/** Reads a list as text. */
export async function readListText(text: Buffer, limit: number): Promise<ListRows> {
  const dialect = findListDialect(text)
  const rows = await parseRows(text, { limit: limit + MAX_TOP_ROWS + 1, dialect })
  if (rows.some(({ cells }) => cells.length > MAX_COLUMNS && cells.slice(MAX_COLUMNS).some((cell) => cell !== '')))
    throw invalidRequest(`the list has more than ${MAX_COLUMNS} columns`)
  const within = rows.map(({ cells, line }) => ({ line, cells: cells.slice(0, MAX_COLUMNS) }))
  return { rows: within, padded: true, separator: dialect.separator, sheet: null }
}

/** Finds the separator with which most of the first lines have equally many cells, and as many as possible. */
function findListDialect(bytes: Buffer): CsvDialect {
  const text = bytes.toString('utf8', 0, SAMPLE_CHARACTERS)
  const lineEnds = bytes.includes(LF) ? ['\r\n', '\n'] : ['\r']
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
  const [, stated] = SEPARATOR_LINE.exec(lines[0] ?? '') ?? []
  if (stated !== undefined) return { separator: stated, lineEnds }
  const sample = lines.slice(0, SAMPLE_LINES)
  const rated = SEPARATORS.map((separator) => ({ separator, ...rate(sample, separator) }))
  const best = rated.reduce((a, b) => (b.lines > a.lines || (b.lines === a.lines && b.cells > a.cells) ? b : a))
  return { separator: best.lines === 0 ? ',' : best.separator, lineEnds }
}

/** How many lines have the commonest number of cells, when that is more than one. */
function rate(lines: readonly string[], separator: string): { lines: number; cells: number } {
  const counts = new Map<number, number>()
  for (const line of lines) {
    const cells = countCells(line, separator)
    if (cells > 1) counts.set(cells, (counts.get(cells) ?? 0) + 1)
  }
  const [cells = 0, most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
  return { lines: most, cells }
}

/** Counts the cells of a line; separators within quotes part nothing. */
function countCells(line: string, separator: string): number {
  let cells = 1
  let quoted = false
  for (const character of line) {
    if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) cells += 1
  }
  return cells
}

/** Cells as a person typed or pasted them, without what cannot be seen. */
export const cleanCell = (cell: string): string => cleanTyped(cell).trim()
