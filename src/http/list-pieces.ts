import type { Statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'
import type { ListStatement } from './both-ways.ts'
import { type Listed, type ListWindow, olderThan } from './lists.ts'

/** The rows to read of a list: its statement with the values of its filters, and its window. */
export type Reading<Row> = { window: ListWindow; statement: ListStatement<Row>; filters: readonly unknown[] }

/** Runs a statement: on the database, or on one snapshot of it. */
export type Ask = <Row>(statement: Statement<Row>, values: unknown[]) => Promise<Row[]>

/**
 * Reads all rows of a list between its bounds, newest first, in pieces of `rows` rows. Each piece begins after the last row of the piece
 * before, and is read while that one is used. The window's limit and cursors are ignored.
 */
export async function* piecesOf<Row extends Listed>(
  ask: Ask,
  { merchantId, mode }: MerchantMode,
  { reading, rows }: { reading: Reading<Row>; rows: number },
): AsyncGenerator<Row[]> {
  const { window, statement, filters } = reading
  const from = window.createdAfter?.toISOString() ?? '-infinity'
  const readAfter = (last: Row | null) => {
    const bounds = [from, ...olderThan(last, window.createdBefore), rows]
    const piece = ask(statement.older, [merchantId, mode, ...bounds, ...filters])
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
