import type { ExactSum } from '../../../platform/sums.ts'
import type { StatementHead, StatementTotals } from '../shape.ts'
import { formatWhole, PAGE, type Pages, type TextStyle } from './pdf-pages.ts'

export const INK = '0.10 0.12 0.16'
const GREY = '0.40 0.44 0.52'
export const HAIRLINE = '0.86 0.88 0.91'
const PANEL = '0.96 0.97 0.98'
const AMBER = '0.99 0.94 0.80'
const DARK_AMBER = '0.55 0.27 0.02'

export const SMALL: TextStyle = { weight: 'regular', size: 7, colour: GREY }
const NAME: TextStyle = { weight: 'bold', size: 18, colour: INK }
const FACT: TextStyle = { weight: 'regular', size: 9, colour: GREY }
const RUNNING: TextStyle = { weight: 'bold', size: 8, colour: INK }
const FIGURE: TextStyle = { weight: 'bold', size: 13, colour: INK }
const BADGE: TextStyle = { weight: 'bold', size: 8, colour: DARK_AMBER }

const LEFT = PAGE.margin
const RIGHT = PAGE.width - PAGE.margin
const WIDTH = RIGHT - LEFT
const FOOT = PAGE.height - 24
const CENTRE = PAGE.width / 2
const LONGEST_NAME = WIDTH - 260

/** Draws the head of the first page: merchant, month and totals. Returns the y where it ends. */
export function drawFirstHead(pages: Pages, head: StatementHead, totals: StatementTotals): number {
  pages.draw(pages.words('STATEMENT', RUNNING), { x: LEFT, y: 44 })
  pages.draw(fitName(pages, head.merchant_name, NAME), { x: LEFT, y: 68 })
  pages.draw(pages.words(aboutMerchant(head), FACT), { x: LEFT, y: 84 })
  pages.draw(pages.words(head.period_label, NAME), { x: RIGHT, y: 68, align: 'right' })
  pages.draw(pages.words(aboutMonth(head), FACT), { x: RIGHT, y: 84, align: 'right' })
  drawMode(pages, head, 44)
  return drawSummary(pages, totals, { head, y: 100 })
}

/** Draws the head of every further page. Returns the y where it ends. */
export function drawRunningHead(pages: Pages, head: StatementHead): number {
  const name = pages.words(`Statement of ${head.period_label}`, RUNNING)
  pages.draw(name, { x: LEFT, y: 44 })
  pages.draw(fitName(pages, head.merchant_name, { ...SMALL, size: 8 }), { x: LEFT + name.width + 8, y: 44 })
  drawMode(pages, head, 44)
  return 52
}

/** Draws the foot: "Page n of m" and the notes for all figures. */
export function drawFoot(pages: Pages, head: StatementHead, page: number): void {
  pages.draw(pages.words('Amounts in whole UGX. Dates and times in Kampala (UTC+3).', SMALL), {
    x: LEFT,
    y: FOOT,
  })
  pages.draw(pages.words(`Page ${formatWhole(page)} of `, SMALL), { x: CENTRE, y: FOOT, align: 'right' })
  pages.drawTotal({ x: CENTRE, y: FOOT })
  const state = head.complete ? 'The month is closed.' : `The month is running. As of ${formatAsOf(head)}.`
  pages.draw(pages.words(state, SMALL), { x: RIGHT, y: FOOT, align: 'right' })
}

function drawMode(pages: Pages, { mode }: StatementHead, y: number): void {
  if (mode === 'live') {
    pages.draw(pages.words('Live', RUNNING), { x: RIGHT, y, align: 'right' })
    return
  }
  const words = pages.words('TEST MODE - no real money', BADGE)
  pages.fill({ x: RIGHT - words.width - 12, y: y - 10.5, width: words.width + 12, height: 15 }, AMBER)
  pages.draw(words, { x: RIGHT - 6, y, align: 'right' })
}

function drawSummary(pages: Pages, totals: StatementTotals, { head, y }: { head: StatementHead; y: number }): number {
  const closing = head.complete ? 'Closing balance' : 'Balance now'
  const cells: [title: string, figure: ExactSum, note: string][] = [
    ['Opening balance', head.opening_balance, 'available and pending'],
    ['+  Money in', totals.collected_net, `after fees of ${formatWhole(totals.charge_fees)}`],
    ['-  Money out', totals.paid_out_total, `with fees of ${formatWhole(totals.payout_fees)}`],
    ['+  Adjustments', totals.adjustments_net, 'every other movement'],
    [`=  ${closing}`, head.closing_balance, 'available and pending'],
  ]
  const width = WIDTH / cells.length
  pages.fill({ x: LEFT, y, width: WIDTH, height: 54 }, PANEL)
  for (const [at, [title, figure, note]] of cells.entries()) {
    const x = LEFT + at * width + 12
    if (at > 0) pages.fill({ x: x - 12, y: y + 10, width: 0.5, height: 34 }, HAIRLINE)
    pages.draw(pages.words(title, SMALL), { x, y: y + 16 })
    pages.draw(pages.words(formatWhole(figure), FIGURE), { x, y: y + 32 })
    pages.draw(pages.words(note, SMALL), { x, y: y + 44 })
  }
  return y + 54
}

function aboutMerchant({ merchant_handle, vat_number }: StatementHead): string {
  const handle = merchant_handle === null ? [] : [`@${merchant_handle}`]
  return [...handle, ...(vat_number === null ? [] : [`VAT ${vat_number}`])].join('   ')
}

function aboutMonth(head: StatementHead): string {
  const last = new Date(new Date(head.period_end).getTime() - 1)
  const days = `1 to ${new Date(last.getTime() + 3 * 3_600_000).getUTCDate()} ${head.period_label}`
  return head.complete ? days : `${days}, as of ${formatAsOf(head)}`
}

/** The time of the figures of a running month, in Kampala. */
const formatAsOf = ({ generated_at }: StatementHead) =>
  new Date(new Date(generated_at).getTime() + 3 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')

/** A name, cut to the width that is free. */
function fitName(pages: Pages, text: string, style: TextStyle) {
  let words = pages.words(text, style)
  for (let rest = [...text]; words.width > LONGEST_NAME; ) {
    rest = rest.slice(0, Math.min(rest.length - 1, Math.ceil((rest.length * LONGEST_NAME) / words.width)))
    words = pages.words(`${rest.join('').trimEnd()}…`, style)
  }
  return words
}
