import { unguarded } from '../../../platform/csv-text.ts'
import { badRequest, invalidRequest } from '../../../platform/refusal.ts'
import { asSeen } from '../../../platform/text.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../../payout-request.ts'
import type { BulkItem } from '../bulk-body.ts'
import { type CsvRow, readCsvLines, readCsvRows, type Written } from '../bulk-csv.ts'
import { readBulkItem } from '../bulk-item.ts'
import type { BulkDraft } from './draft.ts'

/** One line of a draft: its number in what the person wrote, what stands in it, and the item that it is. */
export type DraftLine = { line: number; written: Written; item: BulkItem }

const MOST = 1000
const HEADER = ['phone', 'amount', 'reference', 'name']
const NAMES_A_PHONE = /^\s*"?(?:phone|msisdn|number|amount|name|reference|ref)"?\s*[,\t;]/i

/** The CSV of a file or of pasted lines, as it will be sent, and how many lines stand before the person's own. */
export type DraftCsv = { csv: Buffer; addedLines: number; lines: number }

/** A file as it came; it has a header of its own. Throws Refusal for a problem of the whole file. */
export async function csvOfFile(bytes: Buffer): Promise<DraftCsv> {
  return counted(bytes, 0)
}

/** Pasted lines "phone,amount,reference,name", with or without a header; cells from a spreadsheet are parted by tabs. */
export async function csvOfPasted(pasted: string): Promise<DraftCsv> {
  const text = pasted.split('\t').map(asSeen).join('\t')
  const parted = text.includes('\t')
    ? text
        .split(/\r\n|\r|\n/)
        .map(partedByTabs)
        .join('\n')
    : text
  if (NAMES_A_PHONE.test(text)) return counted(Buffer.from(parted), 0)
  const rows = await readCsvRows(Buffer.from(parted), MOST + 1)
  return counted(withHeader(rows), 1)
}

/** The lines of a draft with their numbers. An item without a reference gets one of the draft, so that it can never be paid twice. */
export async function linesOf({ csv, addedLines, id }: Pick<BulkDraft, 'csv' | 'addedLines' | 'id'>) {
  return (await readCsvLines(csv, MOST)).map(({ item, line, written }, index): DraftLine => {
    const read = withoutGuards(readBulkItem(item, index, DEFAULT_PAYOUT_CHANNEL))
    return {
      line: line - addedLines,
      written,
      item: { ...read, reference: read.reference ?? `${id}-${index + 1}` },
    }
  })
}

/** Our own files of lines to mend put an apostrophe before a text that a spreadsheet would take for a formula: the reference is the one behind it. */
const withoutGuards = (item: BulkItem): BulkItem => ({
  ...item,
  reference: item.reference === null ? null : unguarded(item.reference),
})

async function counted(csv: Buffer, addedLines: number): Promise<DraftCsv> {
  const lines = (await readCsvLines(csv, MOST)).length
  if (lines === 0) throw badRequest('there are no lines to pay')
  if (lines > MOST) throw invalidRequest(`too many lines (max ${MOST})`)
  return { csv, addedLines, lines }
}

/** The same lines below a header, each still at its place; shorter ones are filled up. */
function withHeader(rows: readonly CsvRow[]): Buffer {
  const lines: string[] = [HEADER.join(',')]
  for (const { cells, line } of rows) {
    const missing = HEADER.map((_, place) => cells[place] ?? '')
    lines[line] = (cells.length > HEADER.length ? cells : missing).map(quoted).join(',')
  }
  return Buffer.from(Array.from(lines, (line) => line ?? '').join('\n'))
}

const partedByTabs = (line: string) => line.split('\t').map(quoted).join(',')
const quoted = (cell: string) =>
  /[",\r\n]/.test(cell) ? `"${cell.replace(/[\r\n]+/g, ' ').replaceAll('"', '""')}"` : cell
