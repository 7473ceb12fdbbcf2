import type { StateNoun } from '../../reports/words/states.ts'
import { Money, OutsideText, PhoneNumber, ShortId, State, Status, Time } from './parts.tsx'
import type { ListColumn } from './table.tsx'
import { PARTS } from './texts.ts'

/** Makes the columns that most tables have. `pick` takes what the cell shows out of the row. */
export const column = {
  /** Whole shillings. */
  money: <Row,>(title: string, pick: (row: Row) => number): ListColumn<Row> => ({
    title,
    cell: (row) => <Money amount={pick(row)} />,
    figures: true,
  }),
  /** A time in Kampala; a dash for null. */
  time: <Row,>(title: string, pick: (row: Row) => Date | string | null): ListColumn<Row> => ({
    title,
    cell: (row) => <Time at={pick(row)} />,
  }),
  /** A day in Kampala; a dash for null. */
  day: <Row,>(title: string, pick: (row: Row) => Date | string | null): ListColumn<Row> => ({
    title,
    cell: (row) => <Time at={pick(row)} day />,
  }),
  /** A status with the shape and colour of its word. */
  status: <Row,>(title: string, pick: (row: Row) => string): ListColumn<Row> => ({
    title,
    cell: (row) => <Status word={pick(row)} />,
  }),
  /** The amount of a row of two lines. */
  amount: <Row,>(title: string, pick: (row: Row) => number): ListColumn<Row> => ({
    ...column.money(title, pick),
    at: 'amount',
  }),
  /** When it was, in a row of two lines. */
  when: <Row,>(title: string, pick: (row: Row) => Date | string | null): ListColumn<Row> => ({
    ...column.time(title, pick),
    at: 'when',
  }),
  /** Who it is about, or what it is, in a row of two lines: text from outside that people know. */
  who: <Row,>(title: string, pick: (row: Row) => string | null): ListColumn<Row> => ({
    ...column.text(title, pick),
    at: 'who',
  }),
  /** A person by phone, else by another text from outside, in a row of two lines. */
  person: <Row,>(
    title: string,
    pick: (row: Row) => { phone: string | null; name: string | null },
  ): ListColumn<Row> => ({
    title,
    cell: (row) => {
      const { phone, name } = pick(row)
      return phone === null ? <OutsideText text={name} /> : <PhoneNumber phone={phone} />
    },
    at: 'who',
  }),
  /** What it was for, in a row of two lines: text from outside. */
  what: <Row,>(title: string, pick: (row: Row) => string | null): ListColumn<Row> => ({
    ...column.text(title, pick),
    at: 'what',
  }),
  /** A state in people's words, with why it failed. */
  state: <Row,>(
    title: string,
    of: StateNoun,
    pick: (row: Row) => { status: string; failureReason?: string | null },
  ): ListColumn<Row> => ({
    title,
    cell: (row) => {
      const { status, failureReason = null } = pick(row)
      return <State of={of} state={status} reason={failureReason} />
    },
    at: 'state',
  }),
  /** The end of its id. */
  id: <Row extends { id: string }>(): ListColumn<Row> => ({
    title: PARTS.id,
    cell: ({ id }) => <ShortId id={id} />,
    at: 'ident',
  }),
  /** Text from outside; a dash for null. */
  text: <Row,>(title: string, pick: (row: Row) => string | null): ListColumn<Row> => ({
    title,
    cell: (row) => <OutsideText text={pick(row)} />,
  }),
}
