import { Money, OutsideText, Status, Time } from './parts.tsx'
import type { ListColumn } from './table.tsx'

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
  /** Text from outside; a dash for null. */
  text: <Row,>(title: string, pick: (row: Row) => string | null): ListColumn<Row> => ({
    title,
    cell: (row) => <OutsideText text={pick(row)} />,
  }),
}
