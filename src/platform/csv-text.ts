import { stringify } from 'csv-stringify/sync'

/** What a CSV file of ours begins with: a spreadsheet that is opened by a double click then reads it as UTF-8. */
export const CSV_START = '\uFEFF'

// Blanks and marks that nobody sees do not keep a spreadsheet from looking at what follows them.
const FORMULA = /^(?:[\s\p{Default_Ignorable_Code_Point}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/u
const GUARD = "'"

/**
 * Rows as lines of a CSV. A program that opens it must not take somebody's words for a formula: such a cell begins with an apostrophe
 * (reliability.md A80).
 */
export const csvLines = (rows: readonly (readonly (string | number | null)[])[]): string =>
  stringify(
    rows.map((cells) => cells.map((cell) => (typeof cell === 'string' ? guarded(cell) : cell))),
    { record_delimiter: 'windows' },
  )

const guarded = (cell: string): string => (FORMULA.test(cell) ? `${GUARD}${cell}` : cell)

/** The words of a cell that comes back from such a file. */
export const unguarded = (cell: string): string =>
  cell.startsWith(GUARD) && FORMULA.test(cell.slice(GUARD.length)) ? cell.slice(GUARD.length) : cell
