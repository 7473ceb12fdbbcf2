import type { Statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'
import type { ListStatement } from './both-ways.ts'
import { type Listed, type ListWindow, olderThan } from './lists.ts'

/** Which rows of a list: its statement with the values of its filters, and its window. */
export type Reading<Row> = { window: ListWindow; statement: ListStatement<Row>; filters: readonly unknown[] }

/** How a statement is asked: of the database, or of one snapshot of it. */
export type Ask = <Row>(statement: Statement<Row>, values: unknown[]) => Promise<Row[]>

/**
 * Everything that a list has between its bounds, newest first, in pieces of so many rows: each begins behind the last row of the one before,
 * and is read while that one is used. Its limit and cursors do not count.
 */
export async function* piecesOf<Row extends Listed>(
  ask: Ask,
  { merchantId, mode }: MerchantMode,
  { reading, rows }: { reading: Reading<Row>; rows: number },
): AsyncGenerator<Row[]> {
  const { window, statement, filters } = reading
  const from = window.createdAfter?.toISOString() ?? '-infinity'
  const behind = (last: Row | null) => {
    const bounds = [from, ...olderThan(last, window.createdBefore), rows]
    const asked = ask(statement.older, [merchantId, mode, ...bounds, ...filters])
    // Whoever stops early never looks at it.
    asked.catch(() => {})
    return asked
  }
  for (let next: Promise<Row[]> | null = behind(null); next !== null; ) {
    const piece: Row[] = await next
    const last = piece.at(-1) ?? null
    next = last === null || piece.length < rows ? null : behind(last)
    if (piece.length > 0) yield piece
  }
}
