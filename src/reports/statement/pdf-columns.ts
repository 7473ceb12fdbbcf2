import type { Sum } from '../../platform/sums.ts'
import type { Section } from './lines.ts'
import { COLUMN_GAP, grouped, PAGE } from './pdf-pages.ts'
import type { Adjustment, MoneyIn, MoneyOut, StatementTotals } from './shape.ts'

/** A column of a table: its width in points, and its text for a line. */
export type Column<Line> = {
  title: string
  width: number
  right?: true
  /** A text longer than the first of these numbers of characters is drawn smaller, longer than the second smaller still. */
  small?: readonly [number, number]
  say(line: Line): string
  total?(totals: StatementTotals): string
}
export type Table<Line> = {
  title: string
  empty: string
  count(totals: StatementTotals): string
  isEmpty(totals: StatementTotals): boolean
  columns: readonly Column<Line>[]
}

type SumName = {
  [Name in keyof StatementTotals]: StatementTotals[Name] extends Sum ? Name : never
}[keyof StatementTotals]

const ADJUSTMENTS: Record<Adjustment['kind'], string> = {
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
const moved = (who: string) => [date, reference, id, railReference, party(who)] as const
// A reason is text; everything else is an id.
const noteOf = ({ kind, note }: Adjustment) =>
  (kind === 'payout_returned' ? note?.replaceAll('_', ' ') : note) ?? ''
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const lines = (count: number, one: string) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`

type Counted = Extract<keyof StatementTotals, `count_${string}`>
type Said<Line> = Pick<Table<Line>, 'title' | 'empty' | 'columns'> & { counted: Counted; noun: string }

/** A table whose lines the totals count. */
const table = <Line>({ counted, noun, columns, ...said }: Said<Line>): Table<Line> => ({
  ...said,
  count: (totals) => lines(totals[counted], noun),
  isEmpty: (totals) => totals[counted] === 0,
  columns: widened(columns),
})

const moneyIn = table<MoneyIn>({
  title: 'Money in',
  empty: 'No charge succeeded in this month.',
  counted: 'count_in',
  noun: 'charge',
  columns: [
    ...moved('Customer'),
    { title: 'Channel', width: 46, say: (line) => line.channel },
    amount('Gross', 56, ['gross', 'gross_in']),
    amount('Gift card', 46, ['gift_card', 'gift_cards']),
    amount('Fee', 42, ['fee', 'charge_fees']),
    amount('Net', 56, ['net', 'collected_net']),
  ],
})

const moneyOut = table<MoneyOut>({
  title: 'Money out',
  empty: 'No payout or refund was accepted in this month.',
  counted: 'count_out',
  noun: 'payout',
  columns: [
    ...moved('Recipient'),
    { title: 'Kind', width: 46, say: (line) => capital(line.kind) },
    { title: 'Status', width: 46, say: (line) => capital(line.status) },
    amount('Amount', 56, ['amount', 'paid_out']),
    amount('Fee', 42, ['fee', 'payout_fees']),
    amount('Total', 56, ['total', 'paid_out_total']),
  ],
})

const adjustments = table<Adjustment>({
  title: 'Adjustments',
  empty: 'There are no other movements in this month.',
  counted: 'count_adjustments',
  noun: 'line',
  columns: [
    date,
    { title: 'Kind', width: 84, say: (line) => ADJUSTMENTS[line.kind] },
    reference,
    id,
    railReference,
    { title: 'Note', width: 136, say: noteOf },
    amount('Amount', 62, ['amount', 'adjustments_net']),
  ],
})

export const TABLES: Record<Section, Table<never>> = { money_in: moneyIn, money_out: moneyOut, adjustments }

/** Gives the column without a width, the merchant's reference, the rest of the page. */
function widened<Line>(columns: readonly Column<Line>[]): readonly Column<Line>[] {
  const gaps = (columns.length - 1) * COLUMN_GAP
  const rest = columns.reduce((left, { width }) => left - width, PAGE.width - 2 * PAGE.margin - gaps)
  return columns.map((column) => (column.width === 0 ? { ...column, width: rest } : column))
}

/** A column of amounts: the field of the line, and the field of the totals. */
function amount<Of extends string, Total extends SumName>(
  title: string,
  width: number,
  [of, total]: [Of, Total],
): Column<Record<Of, Sum>> {
  return {
    title,
    width,
    right: true,
    say: (line) => grouped(line[of]),
    total: (totals) => grouped(totals[total]),
  }
}
