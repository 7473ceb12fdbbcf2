import type { App } from '../../app.ts'
import { findInSegments, type Numbered } from './find-in-segments.ts'
import type { ListedPayment, PaymentFilter } from './listed-payment.ts'
import { recentPayments } from './recent.ts'
import { type Mark, markOf } from './walk.ts'

/** Where a search in one cell goes on: among what is not taken up yet, or behind a numbered payment; null: it is at its end. */
export type CellPlace = { recent: Mark } | { numbered: Numbered | null } | null
/** What one cell has found, in its order; behind each row stands where the search goes on after it. */
export type CellFound = {
  rows: { payment: ListedPayment; behind: CellPlace }[]
  end: CellPlace
  until: Date | null
}
export type CellSearch = { filter: PaymentFilter; tokens: readonly (readonly number[])[]; limit: number }

/** Before all payments. Later than any time that a clock may show. */
export const NEWEST: Mark = { at: new Date(8e15), id: '~' }

/** One page of a cell: first what is open or ended lately, then what ended before, the latest first. */
export async function searchCell(
  app: App,
  { filter, tokens, limit }: CellSearch,
  from: CellPlace,
): Promise<CellFound> {
  if (from === null) return { rows: [], end: null, until: null }
  const recent = 'recent' in from ? await recentPayments(app, filter, { after: from.recent, limit }) : []
  const first = recent.map((payment) => ({ payment, behind: { recent: markOf(payment) } }))
  const last = recent.at(-1)
  if (last !== undefined && recent.length === limit)
    return { rows: first, end: { recent: markOf(last) }, until: last.createdAt }
  // What is open was never taken up.
  if (filter.state === 'open') return { rows: first, end: null, until: null }
  const after = 'numbered' in from ? from.numbered : null
  const { rows, end, until } = await findInSegments(app, {
    filter,
    tokens,
    after,
    limit: limit - first.length,
  })
  return {
    rows: [...first, ...rows.map(({ payment, place }) => ({ payment, behind: { numbered: place } }))],
    end: end === null ? null : { numbered: end },
    until,
  }
}
