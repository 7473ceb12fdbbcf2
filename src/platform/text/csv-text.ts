import { stringify } from 'csv-stringify/sync'

/** The byte order mark with which our CSV files begin, so that a spreadsheet opened by a double click reads them as UTF-8. */
export const CSV_BOM = '\uFEFF'

// A spreadsheet skips blanks and invisible marks before it looks for a formula.
const FORMULA = /^(?:[\s\p{Default_Ignorable_Code_Point}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/u
const GUARD = "'"

/**
 * Formats rows as lines of a CSV. A program that opens it must not take a text for a formula, so such a cell begins with an apostrophe
 * (reliability.md A80).
 */
export const formatCsvLines = (rows: readonly (readonly (string | number | null)[])[]): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => (typeof cell === 'string' ? guardCell(cell) : cell))),
    { record_delimiter: 'windows' },
  )

const guardCell = (cell: string): string => (FORMULA.test(cell) ? `${GUARD}${cell}` : cell)

/** Removes the guard from a cell that comes back from such a file. */
export const unguardCell = (cell: string): string =>
  cell.startsWith(GUARD) && FORMULA.test(cell.slice(GUARD.length)) ? cell.slice(GUARD.length) : cell
