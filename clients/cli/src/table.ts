import { oneLine } from '../../../src/platform/text/text.ts'
import type { Terminal } from './terminal.ts'

type Cell = string | number | boolean | null | undefined

/** A column: its head, and what it shows of a row. Numbers are money or counts, and stand to the right. */
export type Column<Row> = { head: string; cell: (row: Row) => Cell }

const GAP = '  '
const NOTHING = '-'
const STATES = {
  succeeded: 'green',
  sent: 'green',
  active: 'green',
  ok: 'green',
  failed: 'red',
  switched_off: 'red',
  pending: 'yellow',
  authorized: 'yellow',
  paused: 'yellow',
  warning: 'yellow',
  refunded: 'cyan',
} as const

const GROUPED = new Intl.NumberFormat('en-US')

/** Whole shillings or a count, with commas between the thousands. */
export const formatNumber = (value: number): string => GROUPED.format(value)

/** Prints rows below their heads. What others have written is shown on one line, without what would steer the terminal. */
export function printTable<Row>({ out, paint }: Terminal, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)))
  const texts = cells.map((row) => row.map(formatCell))
  const widths = columns.map(({ head }, at) => Math.max(lengthOf(head), ...texts.map((row) => lengthOf(row[at] ?? ''))))
  const isNumber = columns.map((_, at) => cells.some((row) => typeof row[at] === 'number'))
  const line = (row: readonly string[], dress: (text: string, padded: string) => string) =>
    row
      .map((text, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - lengthOf(text))
        return dress(text, isNumber[at] ? space + text : text + space)
      })
      .join(GAP)
      .trimEnd()
  const heads = columns.map(({ head }) => head)
  out(line(heads, (_, padded) => paint('bold', padded)))
  const dressed = (text: string, padded: string) =>
    isState(text) ? padded.replace(text, paint(STATES[text], text)) : padded
  for (const row of texts) out(line(row, dressed))
}

/** Prints the members of an object one below the other; a member of a member is named by both: `customer.phone`. */
export function printObject(terminal: Terminal, object: object): void {
  const members = flatten(object, '')
  printTable<[string, Cell]>(
    terminal,
    [
      { head: 'MEMBER', cell: ([name]) => name },
      { head: 'VALUE', cell: ([, value]) => (typeof value === 'number' ? formatNumber(value) : value) },
    ],
    members,
  )
}

function flatten(object: object, before: string): [string, Cell][] {
  return Object.entries(object).flatMap(([name, value]): [string, Cell][] => {
    if (Array.isArray(value)) return [[`${before}${name}`, JSON.stringify(value)]]
    return typeof value === 'object' && value !== null
      ? flatten(value, `${before}${name}.`)
      : [[`${before}${name}`, value]]
  })
}

function formatCell(value: Cell): string {
  if (value === null || value === undefined || value === '') return NOTHING
  return typeof value === 'number' ? formatNumber(value) : oneLine(String(value))
}

const isState = (text: string): text is keyof typeof STATES => Object.hasOwn(STATES, text)

const lengthOf = (text: string) => [...text].length
