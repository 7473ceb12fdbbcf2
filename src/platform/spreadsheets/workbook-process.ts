import { readXlsx, streamXlsxRows } from 'hucre/xlsx'
import { kampalaDay } from '../time/kampala.ts'
import type { WorkbookAnswer, WorkbookLimits, WorkbookRow } from './read-workbook.ts'

// Runs as a process of its own (read-workbook.ts): reads one line with the limits, then the workbook, and writes a WorkbookAnswer as JSON. A
// hostile workbook can fill the memory of whoever parses it.

type Workbook = WorkbookLimits & { bytes: Uint8Array }

const MAX_SHEETS = 20
const MAX_SHEETS_NAMED = 5
// Rows without content between others; Excel keeps those that had a colour.
const MAX_ROWS_LOOKED_AT = 20_000
// The largest metadata of a payment, with its quotes.
const MAX_CELL_CHARACTERS = 22_000
const MAX_CHARACTERS = 2_000_000
const LAST_LINE = 1_048_576
// Excel shows 15 digits of a number, and hides the crumbs of sums such as 0.1 + 0.2 behind them.
const DIGITS_OF_EXCEL = 15

async function readWorkbook({ bytes, maxRows, maxColumns }: Workbook): Promise<WorkbookAnswer> {
  const { sheets } = await readXlsx(bytes, { sheets: [] })
  const names = sheets.map(({ name }) => name)
  for (const [index, sheet] of names.slice(0, MAX_SHEETS).entries()) {
    const rows = await readSheet({ bytes, maxRows, maxColumns }, index)
    if (typeof rows === 'string') return { fault: rows }
    const others = names.filter((_, at) => at !== index).slice(0, MAX_SHEETS_NAMED)
    if (rows.length > 0) return { sheet, others, sheets: names.length, rows }
  }
  return { fault: 'empty' }
}

/** Reads the rows of a sheet that hold something, or returns why they cannot be. */
async function readSheet(
  { bytes, maxRows, maxColumns }: Workbook,
  sheet: number,
): Promise<WorkbookRow[] | 'rows' | 'columns' | 'text'> {
  const rows: WorkbookRow[] = []
  let lookedAt = 0
  let characters = 0
  for await (const { index, values } of streamXlsxRows(bytes, { sheet })) {
    lookedAt += 1
    const cells = values.map(formatCell)
    while (cells.at(-1) === '') cells.pop()
    if (cells.length > maxColumns) return 'columns'
    if (lookedAt > MAX_ROWS_LOOKED_AT) return 'rows'
    if (cells.length === 0) continue
    const line = index + 1
    if (!Number.isSafeInteger(line) || line < 1 || line > LAST_LINE) return 'text'
    characters += cells.reduce((sum, cell) => sum + cell.length, 0)
    if (characters > MAX_CHARACTERS || cells.some((cell) => cell.length > MAX_CELL_CHARACTERS)) return 'text'
    if (rows.push({ line, cells }) > maxRows) return 'rows'
  }
  return rows
}

/** The text of a cell; of a formula, that of the value that was stored with it. */
function formatCell(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : kampalaDay(value)
  if (typeof value === 'number') return String(Number(value.toPrecision(DIGITS_OF_EXCEL)))
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  return typeof value === 'string' ? value.trim() : ''
}

const isEncrypted = (error: unknown) => error instanceof Error && error.name === 'EncryptedFileError'

async function answer(): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  const input = Buffer.concat(pieces)
  const lineEnd = input.indexOf(10)
  const limits = JSON.parse(input.subarray(0, lineEnd).toString('utf8')) as WorkbookLimits // As read-workbook.ts writes it.
  const read = readWorkbook({ ...limits, bytes: input.subarray(lineEnd + 1) })
  const told = await read.catch(
    (error: unknown): WorkbookAnswer => ({ fault: isEncrypted(error) ? 'encrypted' : 'unreadable' }),
  )
  process.stdout.write(JSON.stringify(told))
}

await answer().catch(() => {
  process.exitCode = 1
})
