import type { App } from '../../../program/app.ts'
import { findInSegments, type SegmentPosition } from './find-in-segments.ts'
import type { ListedPayment, PaymentFilter } from './listed-payment.ts'
import { readRecentPayments } from './recent.ts'
import { type ListPosition, positionOf } from './walk.ts'

/** Where a search in one cell continues: among payments that are not taken up yet, or behind a numbered payment; null at the end. */
export type CellCursor = { recent: ListPosition } | { numbered: SegmentPosition | null } | null
/** The matches of one cell in order; `behind` is where the search continues after that row. */
export type CellMatches = {
  rows: { payment: ListedPayment; behind: CellCursor }[]
  end: CellCursor
  until: Date | null
}
type CellSearch = { filter: PaymentFilter; tokens: readonly (readonly number[])[]; limit: number }

/** The position before all payments: later than any time that a clock may show. */
export const BEFORE_NEWEST: ListPosition = { at: new Date(8e15), id: '~' }

/** One page of a cell: first payments that are open or finished lately, then those taken up, the latest first. */
export async function searchCell(
  app: App,
  { filter, tokens, limit }: CellSearch,
  from: CellCursor,
): Promise<CellMatches> {
  if (from === null) return { rows: [], end: null, until: null }
  const recent = 'recent' in from ? await readRecentPayments(app, filter, { after: from.recent, limit }) : []
  const first = recent.map((payment) => ({ payment, behind: { recent: positionOf(payment) } }))
  const last = recent.at(-1)
  if (last !== undefined && recent.length === limit)
    return { rows: first, end: { recent: positionOf(last) }, until: last.createdAt }
  // Open payments are never taken up.
  if (filter.state === 'open') return { rows: first, end: null, until: null }
  const after = 'numbered' in from ? from.numbered : null
  const { rows, end, until } = await findInSegments(app, {
    filter,
    tokens,
    after,
    limit: limit - first.length,
  })
  return {
    rows: [...first, ...rows.map(({ payment, position }) => ({ payment, behind: { numbered: position } }))],
    end: end === null ? null : { numbered: end },
    until,
  }
}
