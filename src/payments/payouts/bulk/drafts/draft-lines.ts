import { badRequest, invalidRequest, Refusal } from '../../../../platform/refusal.ts'
import { unguardCell } from '../../../../platform/text/csv-text.ts'
import { cleanTyped } from '../../../../platform/text/text.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../../payout-request.ts'
import type { BulkItem } from '../bulk-body.ts'
import { type CsvRow, parseCsvLines, parseCsvRows, type WrittenCells } from '../bulk-csv.ts'
import { parseBulkItem } from '../bulk-item.ts'
import type { BulkDraft } from './draft.ts'

/** One line of a draft: its number in the person's text, its cells as written, and the item parsed from it. */
export type DraftLine = { line: number; written: WrittenCells; item: BulkItem }

const MAX_LINES = 1000
const HEADER = ['phone', 'amount', 'reference', 'name']
const HEADER_START = /^\s*"?(?:phone|msisdn|number|amount|name|reference|ref)"?\s*[,\t;]/i

/** The CSV of a draft as it will be sent. `addedLines`: lines before the first one that the person wrote. */
type DraftCsv = { csv: Buffer; addedLines: number; lines: number }

/** Takes a file as it came; it has a header of its own. Throws Refusal for a problem of the whole file. */
export const draftCsvFromFile = (bytes: Buffer): Promise<DraftCsv> => refusedAsLines(buildDraftCsv(bytes, 0))

/** Makes a CSV of pasted lines "phone,amount,reference,name", with or without a header; cells copied from a spreadsheet are separated by tabs. */
export const draftCsvFromPasted = (pasted: string): Promise<DraftCsv> => refusedAsLines(buildFromPasted(pasted))

/** Names the member in refusals of the readers of CSV: they serve the API too, where the CSV is the whole body. */
const refusedAsLines = (csv: Promise<DraftCsv>): Promise<DraftCsv> =>
  csv.catch((error) => {
    throw error instanceof Refusal && error.status === 400 ? error.about('lines') : error
  })

async function buildFromPasted(pasted: string): Promise<DraftCsv> {
  const text = pasted.split('\t').map(cleanTyped).join('\t')
  const csv = text.includes('\t')
    ? text
        .split(/\r\n|\r|\n/)
        .map(tabsToCommas)
        .join('\n')
    : text
  if (HEADER_START.test(text)) return buildDraftCsv(Buffer.from(csv), 0)
  const rows = await parseCsvRows(Buffer.from(csv), MAX_LINES + 1)
  return buildDraftCsv(withHeader(rows), 1)
}

/** Parses the lines of a draft. An item without a reference gets one from the draft's id, so that it can never be paid twice. */
export async function parseDraftLines({ csv, addedLines, id }: Pick<BulkDraft, 'csv' | 'addedLines' | 'id'>) {
  return (await parseCsvLines(csv, MAX_LINES)).map(({ item, line, written }, index): DraftLine => {
    const parsed = withoutGuards(parseBulkItem(item, index, DEFAULT_PAYOUT_CHANNEL))
    return {
      line: line - addedLines,
      written,
      item: { ...parsed, reference: parsed.reference ?? `${id}-${index + 1}` },
    }
  })
}

/** Removes the apostrophe that our own files of lines to mend put before a reference that a spreadsheet would take for a formula. */
const withoutGuards = (item: BulkItem): BulkItem => ({
  ...item,
  reference: item.reference === null ? null : unguardCell(item.reference),
})

async function buildDraftCsv(csv: Buffer, addedLines: number): Promise<DraftCsv> {
  const lines = (await parseCsvLines(csv, MAX_LINES)).length
  if (lines === 0) throw badRequest('there are no lines to pay')
  if (lines > MAX_LINES) throw invalidRequest(`too many lines (max ${MAX_LINES})`)
  return { csv, addedLines, lines }
}

/** Puts a header above the rows, which keep their line numbers; shorter rows are filled up. */
function withHeader(rows: readonly CsvRow[]): Buffer {
  const lines: string[] = [HEADER.join(',')]
  for (const { cells, line } of rows) {
    const filled = HEADER.map((_, index) => cells[index] ?? '')
    lines[line] = (cells.length > HEADER.length ? cells : filled).map(quoteCell).join(',')
  }
  return Buffer.from(Array.from(lines, (line) => line ?? '').join('\n'))
}

const tabsToCommas = (line: string) => line.split('\t').map(quoteCell).join(',')
const quoteCell = (cell: string) =>
  /[",\r\n]/.test(cell) ? `"${cell.replace(/[\r\n]+/g, ' ').replaceAll('"', '""')}"` : cell
