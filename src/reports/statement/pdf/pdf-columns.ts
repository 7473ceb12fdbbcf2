import type { ExactSum } from '../../../platform/sums.ts'
import type { StatementSection } from '../lines.ts'
import type { StatementAdjustment, StatementMoneyIn, StatementMoneyOut, StatementTotals } from '../shape.ts'
import { COLUMN_GAP, formatWhole, PAGE } from './pdf-pages.ts'

/** A column of a table: its width in points, and its text for a line. */
export type PdfColumn<Line> = {
  title: string
  width: number
  right?: true
  /** A text longer than the first of these numbers of characters is drawn smaller, longer than the second smaller still. */
  small?: readonly [number, number]
  say(line: Line): string
  total?(totals: StatementTotals): string
}
export type PdfTable<Line> = {
  title: string
  empty: string
  count(totals: StatementTotals): string
  isEmpty(totals: StatementTotals): boolean
  columns: readonly PdfColumn<Line>[]
}

type SumName = {
  [Name in keyof StatementTotals]: StatementTotals[Name] extends ExactSum ? Name : never
}[keyof StatementTotals]

const ADJUSTMENT_NAMES: Record<StatementAdjustment['kind'], string> = {
  payout_returned: 'Payout returned',
  refund_fee_returned: 'Refund fee returned',
  split_share: 'Split share',
  add_funds: 'Test funds added',
  top_up: 'Top-up',
  released_reservation: 'Released reservation',
  correction: 'Correction',
}

// Date and time in Kampala, as the line has them.
const date = {
  title: 'Date',
  width: 70,
  say: (line: { date: string }) => line.date.slice(0, 19).replace('T', ' '),
  total: () => 'Total',
}
const reference = {
  title: 'Reference',
  width: 0,
  say: (line: { reference: string | null }) => line.reference ?? '',
}
// Ids of charges and payouts grew twice. Shorter ones keep their size: a finished month never changes by a byte.
const id = {
  title: 'Service ID',
  width: 107,
  small: [26, 30] as const,
  say: (line: { id: string | null }) => line.id ?? '',
}
const railReference = {
  title: 'Rail reference',
  width: 133,
  say: (line: { rail_reference: string | null }) => line.rail_reference ?? '',
}
const party = (title: string) => ({
  title,
  width: 48,
  say: (line: { party: string | null }) => line.party ?? '',
})
/** The columns that every charge and payout begins with. */
const paymentColumns = (who: string) => [date, reference, id, railReference, party(who)] as const
// A reason is text; everything else is an id.
const formatNote = ({ kind, note }: StatementAdjustment) =>
  (kind === 'payout_returned' ? note?.replaceAll('_', ' ') : note) ?? ''
const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const formatCount = (count: number, one: string) => `${formatWhole(count)} ${one}${count === 1 ? '' : 's'}`

type CountName = Extract<keyof StatementTotals, `count_${string}`>
type TableInput<Line> = Pick<PdfTable<Line>, 'title' | 'empty' | 'columns'> & {
  counted: CountName
  noun: string
}

/** A table whose lines the totals count. */
const makeTable = <Line>({ counted, noun, columns, ...said }: TableInput<Line>): PdfTable<Line> => ({
  ...said,
  count: (totals) => formatCount(totals[counted], noun),
  isEmpty: (totals) => totals[counted] === 0,
  columns: fillWidth(columns),
})

const moneyIn = makeTable<StatementMoneyIn>({
  title: 'Money in',
  empty: 'No charge succeeded in this month.',
  counted: 'count_in',
  noun: 'charge',
  columns: [
    ...paymentColumns('Customer'),
    { title: 'Channel', width: 46, say: (line) => line.channel },
    amountColumn('Gross', 56, ['gross', 'gross_in']),
    amountColumn('Gift card', 46, ['gift_card', 'gift_cards']),
    amountColumn('Fee', 42, ['fee', 'charge_fees']),
    amountColumn('Net', 56, ['net', 'collected_net']),
  ],
})

const moneyOut = makeTable<StatementMoneyOut>({
  title: 'Money out',
  empty: 'No payout or refund was accepted in this month.',
  counted: 'count_out',
  noun: 'payout',
  columns: [
    ...paymentColumns('Recipient'),
    { title: 'Kind', width: 46, say: (line) => capitalize(line.kind) },
    { title: 'Status', width: 46, say: (line) => capitalize(line.status) },
    amountColumn('Amount', 56, ['amount', 'paid_out']),
    amountColumn('Fee', 42, ['fee', 'payout_fees']),
    amountColumn('Total', 56, ['total', 'paid_out_total']),
  ],
})

const adjustments = makeTable<StatementAdjustment>({
  title: 'Adjustments',
  empty: 'There are no other movements in this month.',
  counted: 'count_adjustments',
  noun: 'line',
  columns: [
    date,
    { title: 'Kind', width: 84, say: (line) => ADJUSTMENT_NAMES[line.kind] },
    reference,
    id,
    railReference,
    { title: 'Note', width: 136, say: formatNote },
    amountColumn('Amount', 62, ['amount', 'adjustments_net']),
  ],
})

export const STATEMENT_TABLES: Record<StatementSection, PdfTable<never>> = {
  money_in: moneyIn,
  money_out: moneyOut,
  adjustments,
}

/** Gives the column without a width, the merchant's reference, the rest of the page. */
function fillWidth<Line>(columns: readonly PdfColumn<Line>[]): readonly PdfColumn<Line>[] {
  const gaps = (columns.length - 1) * COLUMN_GAP
  const rest = columns.reduce((left, { width }) => left - width, PAGE.width - 2 * PAGE.margin - gaps)
  return columns.map((column) => (column.width === 0 ? { ...column, width: rest } : column))
}

/** A column of amounts: the field of the line, and the field of the totals. */
function amountColumn<Of extends string, Total extends SumName>(
  title: string,
  width: number,
  [of, total]: [Of, Total],
): PdfColumn<Record<Of, ExactSum>> {
  return {
    title,
    width,
    right: true,
    say: (line) => formatWhole(line[of]),
    total: (totals) => formatWhole(totals[total]),
  }
}
