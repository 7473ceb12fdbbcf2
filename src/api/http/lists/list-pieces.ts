import type { NamedValues } from '../../../platform/db/named-parameters.ts'
import { bindValues, type Statement } from '../../../platform/db/statement.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import type { ListStatement } from './list-statement.ts'
import { type ListedRow, type ListWindow, olderBounds } from './lists.ts'

/** The rows to read of a list: its statement with the values of its filters, and its window. */
export type ListSelection<Row> = {
  window: ListWindow
  statement: ListStatement<Row>
  filters: NamedValues
}

/** Runs a statement: on the database, or on one snapshot of it. */
export type RunStatement = <Row>(statement: Statement<Row>, values: unknown[]) => Promise<Row[]>

/**
 * Reads all rows of a list between its bounds, newest first, in pieces of `rows` rows. Each piece begins after the last row of the piece
 * before, and is read while that one is used. The window's limit and cursors are ignored.
 */
export async function* readInPieces<Row extends ListedRow>(
  ask: RunStatement,
  { merchantId, mode }: MerchantMode,
  { reading, rows }: { reading: ListSelection<Row>; rows: number },
): AsyncGenerator<Row[]> {
  const { window, statement, filters } = reading
  const readAfter = (last: Row | null) => {
    const values = { merchantId, mode, ...olderBounds(last, window), limit: rows, ...filters }
    const piece = ask(statement.older, bindValues(statement.older, values))
    // A consumer that stops early never awaits the piece read ahead.
    piece.catch(() => {})
    return piece
  }
  for (let next: Promise<Row[]> | null = readAfter(null); next !== null; ) {
    const piece: Row[] = await next
    const last = piece.at(-1) ?? null
    next = last === null || piece.length < rows ? null : readAfter(last)
    if (piece.length > 0) yield piece
  }
}
