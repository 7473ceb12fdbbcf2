import type { CsvRow } from '../bulk-csv.ts'
import { readAmount } from './amount-text.ts'
import { type ColumnUse, findUse, namesPhoneAndAmount } from './column-words.ts'
import { looksLikePhone } from './phone-text.ts'
import { type ListRows, MAX_TOP_ROWS } from './read-file.ts'

/** What the columns of a list seem to hold, and the line of its first payment. `certain`: nobody has to be asked. */
export type ColumnGuess = { columns: ColumnUse[]; firstLine: number; certain: boolean }

/** How pasted lines are described: one recipient on each line. */
const DOCUMENTED: readonly ColumnUse[] = ['phone', 'amount', 'reference', 'name']
const SAMPLE_ROWS = 200
// A column holds what most of its cells hold.
const MOST = 0.8

/** Guesses from the words above the columns, or else from what is in them. `pasted`: lines without headings may be as they are described. */
export function guessColumns({ rows, separator }: ListRows, { pasted }: { pasted: boolean }): ColumnGuess {
  const top = rows.slice(0, MAX_TOP_ROWS)
  const heading = top.findIndex(({ cells }) => namesPhoneAndAmount(cells))
  if (heading >= 0) return guessByWords(rows, heading)
  const first = top.findIndex(({ cells }) => cells.some(looksLikePhone))
  const [row, above] = [rows[first], rows[first - 1]]
  if (row === undefined) return { columns: usesByWords(rows[0]), firstLine: rows[0]?.line ?? 1, certain: false }
  if (pasted && above === undefined && separator === ',' && looksLikePhone(row.cells[0] ?? ''))
    return { columns: [...DOCUMENTED], firstLine: row.line, certain: true }
  return guessByContent(rows.slice(first, first + SAMPLE_ROWS), above)
}

const usesByWords = (row: CsvRow | undefined): ColumnUse[] => row?.cells.map((cell) => findUse(cell) ?? 'ignore') ?? []

function guessByWords(rows: readonly CsvRow[], heading: number): ColumnGuess {
  const columns = usesByWords(rows[heading])
  const payments = rows.slice(heading + 1, heading + 1 + SAMPLE_ROWS)
  const firstLine = payments[0]?.line ?? (rows[heading]?.line ?? 0) + 1
  const named = columns.filter((use) => use !== 'ignore')
  const certain = new Set(named).size === named.length && !isPhoneElsewhere(payments, columns.indexOf('phone'))
  return { columns: columns.map((use, at) => (columns.indexOf(use) === at ? use : 'ignore')), firstLine, certain }
}

/** Whether all phones stand in another column: `Number` may count the lines. */
function isPhoneElsewhere(rows: readonly CsvRow[], column: number): boolean {
  const found = (holds: (at: number) => boolean) =>
    rows.some(({ cells }) => cells.some((cell, at) => holds(at) && looksLikePhone(cell)))
  return !found((at) => at === column) && found((at) => at !== column)
}

function guessByContent(rows: readonly CsvRow[], above: CsvRow | undefined): ColumnGuess {
  const width = Math.max(...rows.map(({ cells }) => cells.length))
  const kinds = Array.from({ length: width }, (_, at) => findKind(rows.map(({ cells }) => cells[at] ?? '')))
  const words = usesByWords(above)
  const columns = kinds.map((kind, at): ColumnUse => {
    if (kind === 'phone' || kind === 'amount') return kinds.indexOf(kind) === at ? kind : 'ignore'
    const word = words[at] ?? 'ignore'
    if (word === 'name' || word === 'reference' || word === 'metadata') return word
    return kind === 'text' && kinds.indexOf(kind) === at ? 'name' : 'ignore'
  })
  const count = (kind: Kind) => kinds.filter((found) => found === kind).length
  const certain = above === undefined && count('phone') === 1 && count('amount') === 1 && count('text') === 0
  return { columns, firstLine: rows[0]?.line ?? 1, certain }
}

type Kind = 'phone' | 'amount' | 'text' | 'empty'

function findKind(cells: readonly string[]): Kind {
  const written = cells.filter((cell) => cell.trim() !== '')
  const most = (holds: (cell: string) => boolean) => written.filter(holds).length >= written.length * MOST
  if (written.length === 0) return 'empty'
  if (most(looksLikePhone)) return 'phone'
  return most((cell) => 'amount' in readAmount(cell)) ? 'amount' : 'text'
}
