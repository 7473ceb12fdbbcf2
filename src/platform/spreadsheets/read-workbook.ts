import { limitConcurrency } from '../batches/concurrency-limit.ts'
import { runLimitedProcess } from '../processes/limited-process.ts'
import { invalidRequest } from '../refusal.ts'
import { readZipSizes } from './zip-sizes.ts'

/** A row that holds something, with its number in the sheet. Cells behind the last one with content are left out. */
export type WorkbookRow = { line: number; cells: string[] }
/** The first sheet that holds something; `others`: the names of some of the other `sheets`. */
export type WorkbookSheet = { sheet: string; others: string[]; sheets: number; rows: WorkbookRow[] }
type WorkbookFault = 'rows' | 'columns' | 'text' | 'empty' | 'encrypted' | 'unreadable'
export type WorkbookAnswer = WorkbookSheet | { fault: WorkbookFault }

/** The most rows with content that are read, and the most columns. */
export type WorkbookLimits = { maxRows: number; maxColumns: number }

// A list of a thousand people unpacks to some 300 kB, with other sheets, styles and a logo to ten times that.
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024
const MAX_FILES = 500
const LIMITS = { seconds: 15, megabytes: 4096, mostBytes: 8 * 1024 * 1024 }
const SCRIPT = new URL('./workbook-process.js', import.meta.url)

const oneAtATime = limitConcurrency({ most: 1, waiting: 8 })

const TOO_LARGE = 'the Excel workbook is too large to read: keep the list alone in it, or save it as CSV'
const UNREADABLE =
  'the Excel workbook cannot be read: open it in Excel, save it once more as .xlsx or as CSV, and send that'

/**
 * Reads the first sheet with content of an Excel workbook (.xlsx) as texts, in a process of its own with limits of memory and time. Throws
 * `invalid request: ...` for one that cannot be read, or that has more rows or columns, and 503 when too many workbooks wait.
 */
export async function readWorkbook(bytes: Buffer, limits: WorkbookLimits): Promise<WorkbookSheet> {
  const sizes = readZipSizes(bytes)
  if (sizes === null) throw invalidRequest(UNREADABLE)
  if (sizes.files > MAX_FILES || sizes.unpackedBytes > MAX_UNPACKED_BYTES) throw invalidRequest(TOO_LARGE)
  const input = [Buffer.from(`${JSON.stringify(limits)}\n`), bytes]
  const answer = await oneAtATime(() => runLimitedProcess(SCRIPT, input, LIMITS))
  if (answer === null) throw invalidRequest(TOO_LARGE)
  const sheet = JSON.parse(answer.toString('utf8')) as WorkbookAnswer // As the process has written it.
  if ('fault' in sheet) throw invalidRequest(explain(sheet.fault, limits))
  return sheet
}

function explain(fault: WorkbookFault, { maxRows, maxColumns }: WorkbookLimits): string {
  switch (fault) {
    case 'rows':
      return `the sheet has more than ${maxRows} rows`
    case 'columns':
      return `the sheet has more than ${maxColumns} columns`
    case 'text':
      return TOO_LARGE
    case 'empty':
      return 'the Excel workbook is empty'
    case 'encrypted':
      return 'the Excel workbook has a password: save it without one, and send that'
    case 'unreadable':
      return UNREADABLE
  }
}
