import { unguardCell } from '../../../../platform/text/csv-text.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../../payout-request.ts'
import type { CsvRow, WrittenCells } from '../bulk-csv.ts'
import { type BulkItem, parseBulkItem } from '../bulk-item.ts'
import { parseMetadataCell } from '../metadata-cell.ts'
import { readAmount } from './amount-text.ts'
import { type ColumnUse, findHeadings, namesPhoneAndAmount } from './column-words.ts'
import { findPhoneFault } from './phone-text.ts'
import { cleanCell } from './read-file.ts'

/** One line of a list: its number in the file, its cells as written, and the item parsed from it. */
export type ListLine = { line: number; written: WrittenCells; item: BulkItem }
/** How rows are read. `padded`: each row has a cell for each column, as in a CSV. */
type ListLayout = { columns: readonly ColumnUse[]; firstLine: number; padded: boolean }
/** How many cells a row must have, or null; and how many it may have. */
type RowBounds = { width: number | null; most: number }

/** Parses the rows of a list as items, as people write amounts and phones. A row that cannot be read fails alone. */
export function parseListLines(rows: readonly CsvRow[], layout: ListLayout): ListLine[] {
  const bounds = findBounds(rows, layout)
  const metadataColumn = nameMetadataColumn(rows, layout)
  return rows
    .filter(({ line }) => line >= layout.firstLine)
    .map((row, index) => {
      const written = pickWritten(row.cells, layout.columns)
      return {
        line: row.line,
        written,
        item: parseLine(row, written, { index, bounds, columns: layout.columns, metadataColumn }),
      }
    })
}

/** A row of a CSV with a cell too many or too few may have its values in the wrong columns: an amount of 10,000 makes two cells. */
function findBounds(rows: readonly CsvRow[], { columns, firstLine, padded }: ListLayout): RowBounds {
  if (!padded) return { width: null, most: Number.MAX_SAFE_INTEGER }
  const headings = findHeadings(rows, firstLine)?.cells ?? []
  const first = rows.find(({ line }) => line >= firstLine)?.cells ?? []
  const most = Math.max(headings.length, first.length, columns.length)
  return namesPhoneAndAmount(headings) ? { width: headings.length, most } : { width: null, most }
}

function pickWritten(cells: readonly string[], columns: readonly ColumnUse[]): WrittenCells {
  const cell = (use: ColumnUse) => cells[columns.indexOf(use)] ?? ''
  return {
    ...{ phone: cell('phone'), amount: cell('amount'), name: cell('name') },
    ...{ reference: cell('reference'), metadata: cell('metadata') },
  }
}

/** Names the column of the metadata by its heading, or by its place where it has none. */
function nameMetadataColumn(rows: readonly CsvRow[], { columns, firstLine }: ListLayout): string {
  const at = columns.indexOf('metadata')
  return findHeadings(rows, firstLine)?.cells[at] || String(at + 1)
}

type LineContext = { index: number; bounds: RowBounds; columns: readonly ColumnUse[]; metadataColumn: string }

function parseLine({ cells, line }: CsvRow, written: WrittenCells, context: LineContext): BulkItem {
  const { index, bounds, columns, metadataColumn } = context
  const amount = readAmount(written.amount)
  const item = parseBulkItem(
    {
      fields: {
        amount: 'amount' in amount ? amount.amount : 1,
        recipient: { phone: cleanCell(written.phone), name: written.name },
        channel: cells[columns.indexOf('channel')] || undefined,
        reference: unguardCell(written.reference),
      },
      metadataCell: parseMetadataCell(written.metadata, { line, column: metadataColumn }),
    },
    index,
    DEFAULT_PAYOUT_CHANNEL,
  )
  const fault =
    findWidthFault(cells.length, bounds) ?? ('fault' in amount ? amount.fault : null) ?? findPhoneFault(written.phone)
  return fault === null ? item : { ok: false, index, reference: item.reference, error: `invalid item: ${fault}` }
}

function findWidthFault(cells: number, { width, most }: RowBounds): string | null {
  if (width !== null && cells !== width) return `row has ${formatCount(cells)}, the line of headings has ${width}`
  return cells > most ? `row has ${formatCount(cells)}, the first one has ${most}` : null
}

const formatCount = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
