import type { OperatorCaller } from '../../actors/actor.ts'
import { requireRole } from '../../actors/allow.ts'
import type { App, Gateway } from '../../app.ts'
import { inTurn } from '../../platform/in-turn.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { ListedPayment, PaymentFilter } from './listed-payment.ts'
import { readPlaces, readWalk, writePlaces, writeWalk } from './places.ts'
import { type CellFound, type CellPlace, NEWEST, searchCell } from './search-cell.ts'
import { phonePart, plain, SHORTEST_PART, tokensOfWanted } from './tokens.ts'
import { together, walkCell } from './walk.ts'

/** One page. `next`: the cursor of the next page. `until`: how far was searched, where that did not fill the page. */
export type PaymentsPage = { rows: ListedPayment[]; next: string | null; until: Date | null }

const ROWS = 25

/** Whether a text is long enough for a search by parts. */
export const isPart = (text: string): boolean =>
  plain(text).length >= SHORTEST_PART || (phonePart(text)?.length ?? 0) >= SHORTEST_PART

/**
 * Lists live payments of all merchants that match, newest first. Whatever is asked, a page costs a bounded search: it may have few rows,
 * or none, and say how far it searched. `app`: the only cell to search, that of the merchant. Throws 400 for an invalid cursor, 403.
 */
export function listPayments(
  gateway: Gateway,
  actor: OperatorCaller,
  { filter, app, after }: { filter: PaymentFilter; app: App | null; after: string | null },
): Promise<PaymentsPage> {
  requireRole(actor, 'console.read')
  const { text, merchantId, reason, least, most } = filter
  if (text !== null && !isPart(text)) throw badRequest(`q must have at least ${SHORTEST_PART} characters`)
  const amount = least === most ? least : null
  const tokens = tokensOfWanted({ text, merchantId, reason, amount })
  const cells = app === null ? gateway.cells : [app]
  // Open payments are few and read separately.
  return filter.state === 'open' || tokens.some((list) => list.length > 0)
    ? search({ cells, filter, tokens, after })
    : walk({ cells, filter, after })
}

type Asked = { cells: readonly App[]; filter: PaymentFilter; after: string | null }

async function walk({ cells, filter, after }: Asked): Promise<PaymentsPage> {
  const from = after === null ? NEWEST : readWalk(after)
  // One row more than a page shows tells whether there is a further page.
  const parts = await Promise.all(cells.map((app) => walkCell(app, filter, { after: from, limit: ROWS + 1 })))
  const { rows, next } = together(parts.flat(), ROWS)
  return {
    rows,
    next: next === null ? null : writeWalk(next),
    until: next !== null && rows.length < ROWS ? next.at : null,
  }
}

type Row = CellFound['rows'][number]
type Search = Asked & { tokens: readonly (readonly number[])[] }

async function search({ cells, filter, tokens, after }: Search): Promise<PaymentsPage> {
  const cursors = after === null ? null : readPlaces(after)
  const begun = (app: App): CellPlace =>
    cursors === null ? { recent: NEWEST } : (cursors.get(app.cell) ?? null)
  const ofCells = await Promise.all(
    cells.map((app) => searchCell(app, { filter, tokens, limit: ROWS + 1 }, begun(app))),
  )
  const order = { limit: ROWS, comesFirst: (a: Row, b: Row) => a.payment.createdAt > b.payment.createdAt }
  const { rows: shown, taken } = inTurn(
    ofCells.map(({ rows }) => rows),
    order,
  )
  const rows = shown.map(({ payment }) => payment)
  const ends = cells.map(
    ({ cell }, nth) => [cell, endOf(ofCells[nth], taken[nth] ?? 0, begun(cells[nth] as App))] as const,
  )
  const isOver = ends.every(([, cursor]) => cursor === null)
  const until = ofCells.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
  return {
    rows,
    next: isOver ? null : writePlaces(new Map(ends)),
    until: isOver || rows.length === ROWS || until.length === 0 ? null : new Date(Math.max(...until)),
  }
}

/** The cursor of a cell after so many of its rows were shown. */
function endOf(found: CellFound | undefined, taken: number, begun: CellPlace): CellPlace {
  if (found === undefined || taken === found.rows.length) return found?.end ?? null
  return taken === 0 ? begun : (found.rows[taken - 1]?.behind ?? null)
}
