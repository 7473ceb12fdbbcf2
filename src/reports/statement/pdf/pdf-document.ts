import type { StatementSection } from '../lines.ts'
import type { StatementHead, StatementTotals } from '../shape.ts'
import { type PdfColumn, type PdfTable, STATEMENT_TABLES } from './pdf-columns.ts'
import { drawFirstHead, drawFoot, drawRunningHead, HAIRLINE, INK, SMALL } from './pdf-frame.ts'
import { COLUMN_GAP, type GlyphLine, openPages, PAGE, type Pages, type TextStyle } from './pdf-pages.ts'
import { directionOf } from './reading-order.ts'

/** A statement as a PDF that grows line by line: its sections one after the other. */
export type StatementDocument = {
  begin(section: StatementSection): void
  add(lines: readonly unknown[]): void
  /** Ends the section with its sums. */
  finish(totals: StatementTotals): void
  end(): void
  take(): Uint8Array<ArrayBuffer>
}

const BODY: TextStyle = { weight: 'regular', size: 6.6, colour: INK }
const SMALLER: TextStyle = { ...BODY, size: 6 }
const SMALLEST: TextStyle = { ...BODY, size: 5.6 }
const STRONG: TextStyle = { ...BODY, weight: 'bold' }
const TITLE: TextStyle = { weight: 'bold', size: 11, colour: INK }
const LINE_HEIGHT = 8.6
const ROW_PADDING = 3.6
const ABOVE_SECTION = 24
const COLUMN_TITLES = 18
const LOWEST_Y = PAGE.height - 42
const TABLE_WIDTH = PAGE.width - 2 * PAGE.margin
const ROW_HEIGHT = LINE_HEIGHT + ROW_PADDING

type PdfCell = { column: PdfColumn<never>; x: number; lines: readonly GlyphLine[] }

/** Opens a document. `totals` lacks the gift cards, which are known only at the end and not needed before the lines. */
export function openStatementDocument(head: StatementHead, totals: StatementTotals): StatementDocument {
  const pages = openPages({
    title: `Statement ${head.period_label} - ${head.merchant_name}`,
    author: head.merchant_name,
    made: new Date(head.generated_at),
  })
  drawFoot(pages, head, pages.next())
  let y = drawFirstHead(pages, head, totals)
  let table: PdfTable<never> | null = null

  function turn(): void {
    drawFoot(pages, head, pages.next())
    y = drawRunningHead(pages, head)
  }
  function drawTitles({ columns }: PdfTable<never>): void {
    y += COLUMN_TITLES
    drawCells(pages, layOutCells(pages, columns, { say: ({ title }) => title, style: SMALL }), y - 5)
    pages.fill({ x: PAGE.margin, y: y - 0.8, width: TABLE_WIDTH, height: 0.8 }, INK)
  }
  function drawRow(of: PdfTable<never>, row: { say(column: PdfColumn<never>): string; style: TextStyle }): void {
    const cells = layOutCells(pages, of.columns, row)
    const height = Math.max(...cells.map(({ lines }) => lines.length)) * LINE_HEIGHT + ROW_PADDING
    if (y + height > LOWEST_Y) {
      turn()
      y += LINE_HEIGHT * 2
      pages.draw(pages.words(`${of.title}, continued`, SMALL), { x: PAGE.margin, y })
      drawTitles(of)
    }
    drawCells(pages, cells, y + LINE_HEIGHT)
    y += height
    pages.fill({ x: PAGE.margin, y: y - 0.3, width: TABLE_WIDTH, height: 0.3 }, HAIRLINE)
  }

  return {
    begin(section) {
      table = STATEMENT_TABLES[section]
      // Never leave a heading alone at the foot of a page.
      if (y + ABOVE_SECTION + COLUMN_TITLES + 3 * ROW_HEIGHT > LOWEST_Y) turn()
      y += ABOVE_SECTION
      drawHeading(pages, table, { totals, y })
      drawTitles(table)
    },
    add(lines) {
      const current = table
      if (current === null) return
      for (const line of lines) drawRow(current, { say: (column) => column.say(line as never), style: BODY })
    },
    finish(sums) {
      if (table === null) return
      if (table.isEmpty(sums)) {
        pages.draw(pages.words(table.empty, SMALL), { x: PAGE.margin, y: y + ROW_HEIGHT })
        y += ROW_HEIGHT
      } else drawRow(table, { say: (column) => column.total?.(sums) ?? '', style: STRONG })
      table = null
    },
    end: () => pages.end(SMALL),
    take: pages.take,
  }
}

function drawHeading(
  pages: Pages,
  { title, count }: PdfTable<never>,
  { totals, y }: { totals: StatementTotals; y: number },
): void {
  const heading = pages.words(title, TITLE)
  pages.draw(heading, { x: PAGE.margin, y })
  pages.draw(pages.words(count(totals), SMALL), { x: PAGE.margin + heading.width + 8, y })
}

function layOutCells(
  pages: Pages,
  columns: readonly PdfColumn<never>[],
  { say, style }: { say(column: PdfColumn<never>): string; style: TextStyle },
): PdfCell[] {
  let x = PAGE.margin
  return columns.map((column) => {
    const text = say(column)
    const cell = {
      column,
      x,
      lines: wrapText(pages, text, { style: shrinkFor(column, text, style), width: column.width }),
    }
    x += column.width + COLUMN_GAP
    return cell
  })
}

function shrinkFor({ small }: PdfColumn<never>, { length }: string, style: TextStyle): TextStyle {
  if (small === undefined || length <= small[0]) return style
  return length <= small[1] ? SMALLER : SMALLEST
}

function drawCells(pages: Pages, cells: readonly PdfCell[], y: number): void {
  for (const { column, x, lines } of cells) {
    const position = column.right ? { x: x + column.width, align: 'right' as const } : { x }
    for (const [at, words] of lines.entries()) pages.draw(words, { ...position, y: y + at * LINE_HEIGHT })
  }
}

/** Breaks a text into as many lines as its column needs; references may be long and have no spaces. */
function wrapText(pages: Pages, text: string, { style, width }: { style: TextStyle; width: number }): GlyphLine[] {
  const whole = pages.words(text, style)
  if (whole.width <= width) return [whole]
  const direction = directionOf(text)
  const wordsOf = (line: string) => pages.words(line, style, direction)
  const lines: GlyphLine[] = []
  let line = ''
  for (const character of text) {
    if (line !== '' && wordsOf(line + character).width > width) {
      const length = breakIndex(line)
      lines.push(wordsOf(line.slice(0, length)))
      line = line.slice(length)
    }
    line += character
  }
  return [...lines, wordsOf(line)]
}

/** The length at which a full line breaks: after its last space, when that is not far from its end. */
function breakIndex(line: string): number {
  const space = line.lastIndexOf(' ') + 1
  return space > line.length / 2 ? space : line.length
}
