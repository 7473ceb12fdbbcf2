import { badRequest, domainRefusal, invalidRequest, Refusal } from '../../../../platform/refusal.ts'
import { unguardCell } from '../../../../platform/text/csv-text.ts'
import { echo } from '../../../../platform/text/text.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../../payout-request.ts'
import { type CsvRow, parseCsvLines, parseRows } from '../bulk-csv.ts'
import { parseBulkItem } from '../bulk-item.ts'
import { type ColumnGuess, guessColumns } from '../files/guess-columns.ts'
import { type ListLine, parseListLines } from '../files/list-items.ts'
import { type ListRows, MAX_TOP_ROWS, readListFile, readListText } from '../files/read-file.ts'
import type { BulkDraft, DraftLayout } from './draft.ts'

export type DraftLine = ListLine

const MAX_LINES = 1000
const MAX_BYTES = 4 * 1024 * 1024
const STORED = { separator: ',', lineEnds: ['\n'] }

/** A list that a person has given, and what its columns seem to hold. */
export type DraftList = ListRows & { guess: ColumnGuess }

/** Reads a file as it came, or pasted lines. Throws Refusal for a problem of the whole list. */
export async function readDraftList(input: { bytes: Buffer } | { pasted: string }): Promise<DraftList> {
  const pasted = 'pasted' in input
  try {
    const list = await (pasted
      ? readListText(Buffer.from(input.pasted), MAX_LINES)
      : readListFile(input.bytes, MAX_LINES))
    if (list.rows.length === 0) throw badRequest('there are no lines to pay')
    if (list.rows.every(({ cells }) => cells.length < 2))
      throw invalidRequest(describeOneColumn(list.rows[0]?.cells[0]))
    return { ...list, guess: guessColumns(list, { pasted }) }
  } catch (error) {
    // The readers serve the API too, where the list is the whole body.
    throw error instanceof Refusal && error.status === 400 ? error.about('lines') : error
  }
}

const describeOneColumn = (first = '') =>
  `the list has one column, and begins with "${echo(first)}"; write the phone and the amount in columns of their own`

/** Counts the payments of a list. Throws Refusal if it has none, or more than a call may have. */
export function countPayments(rows: readonly CsvRow[], firstLine: number): number {
  const count = rows.filter(({ line }) => line >= firstLine).length
  if (count === 0) throw badRequest('there are no lines to pay', { field: 'lines' })
  if (count > MAX_LINES) throw invalidRequest(`too many lines (max ${MAX_LINES})`, 'lines')
  return count
}

/** Formats the rows of a list as a draft stores them. Throws Refusal if they are too long. */
export function formatStoredRows(rows: readonly CsvRow[]): Buffer {
  const csv = Buffer.from(rows.map(({ line, cells }) => [String(line), ...cells].map(quoteCell).join(',')).join('\n'))
  if (csv.length > MAX_BYTES)
    throw invalidRequest('the list is too long: keep the columns alone that are needed', 'lines')
  return csv
}

/** Reads the rows of a draft with a layout, those above the first payment too. */
export async function readDraftRows({ csv }: Pick<BulkDraft, 'csv'>): Promise<CsvRow[]> {
  const rows = await parseRows(csv, { limit: MAX_LINES + MAX_TOP_ROWS + 1, dialect: STORED })
  return rows.map(({ cells: [line, ...cells] }) => ({ line: Number(line), cells }))
}

/** Parses the lines of a draft. An item without a reference gets one from the draft's id, so that it can never be paid twice. */
export async function parseDraftLines(
  draft: Pick<BulkDraft, 'csv' | 'addedLines' | 'layout' | 'id'>,
): Promise<DraftLine[]> {
  const { layout, id } = draft
  const lines = layout === null ? await parseOldDraft(draft) : await parseList(draft, layout)
  return lines.map(({ item, ...line }, index) => ({
    ...line,
    item: { ...item, reference: item.reference ?? `${id}-${index + 1}` },
  }))
}

async function parseList(draft: Pick<BulkDraft, 'csv'>, layout: DraftLayout): Promise<DraftLine[]> {
  const { columns } = layout
  if (columns === null)
    throw domainRefusal('columns_unknown', 'say first what the columns of this list are, on the page of the list')
  return parseListLines(await readDraftRows(draft), { ...layout, columns })
}

/** Parses a draft from before drafts had a layout. Such drafts are gone a month after the upgrade. */
const parseOldDraft = async ({ csv, addedLines }: Pick<BulkDraft, 'csv' | 'addedLines'>): Promise<DraftLine[]> =>
  (await parseCsvLines(csv, MAX_LINES)).map(({ item, line, written }, index) => {
    const parsed = parseBulkItem(item, index, DEFAULT_PAYOUT_CHANNEL)
    const reference = parsed.reference === null ? null : unguardCell(parsed.reference)
    return { line: line - addedLines, written, item: { ...parsed, reference } }
  })

const quoteCell = (cell: string) =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replace(/[\r\n]+/g, ' ').replaceAll('"', '""')}"` : cell
