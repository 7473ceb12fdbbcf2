import type { StaffCaller } from '../../../api/access/actor.ts'
import { requireRole } from '../../../api/access/allow.ts'
import { reachedCells } from '../../../platform/db/cell-watch.ts'
import { mergeSorted } from '../../../platform/merge-sorted.ts'
import { badRequest } from '../../../platform/refusal.ts'
import type { App, Gateway } from '../../../program/app.ts'
import { formatSearchCursor, formatWalkCursor, parseSearchCursor, parseWalkCursor } from './cursors.ts'
import type { ListedPayment, PaymentFilter } from './listed-payment.ts'
import { BEFORE_NEWEST, type CellCursor, type CellMatches, searchCell } from './search-cell.ts'
import { buildTermTokens, MIN_PART_LENGTH, phonePart, plain } from './tokens.ts'
import { mergeParts, walkCell } from './walk.ts'

/** One page. `next`: the cursor of the next page. `until`: how far was searched, where that did not fill the page. */
export type PaymentsPage = { rows: ListedPayment[]; next: string | null; until: Date | null }

const ROWS_PER_PAGE = 25

/** Whether a text is long enough for a search by parts. */
export const isSearchable = (text: string): boolean =>
  plain(text).length >= MIN_PART_LENGTH || (phonePart(text)?.length ?? 0) >= MIN_PART_LENGTH

/**
 * Lists live payments of all merchants that match, newest first. Whatever is asked, a page costs a bounded search: it may have few rows,
 * or none, and say how far it searched. `app`: the only cell to search, that of the merchant. Throws 400 for an invalid cursor, 403.
 */
export function listPayments(
  gateway: Gateway,
  actor: StaffCaller,
  { filter, app, after }: { filter: PaymentFilter; app: App | null; after: string | null },
): Promise<PaymentsPage> {
  requireRole(actor, 'console.read')
  const { text, merchantId, reason, least, most } = filter
  if (text !== null && !isSearchable(text)) throw badRequest(`q must have at least ${MIN_PART_LENGTH} characters`)
  const amount = least === most ? least : null
  const tokens = buildTermTokens({ text, merchantId, reason, amount })
  const cells = app === null ? reachedCells(gateway) : [app]
  // Open payments are few and read separately.
  return filter.state === 'open' || tokens.some((list) => list.length > 0)
    ? search({ cells, filter, tokens, after })
    : walk({ cells, filter, after })
}

type PaymentListInput = { cells: readonly App[]; filter: PaymentFilter; after: string | null }

async function walk({ cells, filter, after }: PaymentListInput): Promise<PaymentsPage> {
  const from = after === null ? BEFORE_NEWEST : parseWalkCursor(after)
  // One row more than a page shows tells whether there is a further page.
  const parts = await Promise.all(cells.map((app) => walkCell(app, filter, { after: from, limit: ROWS_PER_PAGE + 1 })))
  const { rows, next } = mergeParts(parts.flat(), ROWS_PER_PAGE)
  return {
    rows,
    next: next === null ? null : formatWalkCursor(next),
    until: next !== null && rows.length < ROWS_PER_PAGE ? next.at : null,
  }
}

type CellRow = CellMatches['rows'][number]
type PaymentSearchInput = PaymentListInput & { tokens: readonly (readonly number[])[] }

async function search({ cells, filter, tokens, after }: PaymentSearchInput): Promise<PaymentsPage> {
  const cursors = after === null ? null : parseSearchCursor(after)
  const begun = (app: App): CellCursor =>
    cursors === null ? { recent: BEFORE_NEWEST } : (cursors.get(app.cell) ?? null)
  const ofCells = await Promise.all(
    cells.map((app) => searchCell(app, { filter, tokens, limit: ROWS_PER_PAGE + 1 }, begun(app))),
  )
  const order = {
    limit: ROWS_PER_PAGE,
    comesFirst: (a: CellRow, b: CellRow) => a.payment.createdAt > b.payment.createdAt,
  }
  const { rows: shown, taken } = mergeSorted(
    ofCells.map(({ rows }) => rows),
    order,
  )
  const rows = shown.map(({ payment }) => payment)
  const ends = cells.map(
    ({ cell }, nth) => [cell, nextCellCursor(ofCells[nth], taken[nth] ?? 0, begun(cells[nth] as App))] as const,
  )
  const isOver = ends.every(([, cursor]) => cursor === null)
  const until = ofCells.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
  return {
    rows,
    next: isOver ? null : formatSearchCursor(new Map(ends)),
    until: isOver || rows.length === ROWS_PER_PAGE || until.length === 0 ? null : new Date(Math.max(...until)),
  }
}

/** The cursor of a cell after so many of its rows were shown. */
function nextCellCursor(found: CellMatches | undefined, taken: number, begun: CellCursor): CellCursor {
  if (found === undefined || taken === found.rows.length) return found?.end ?? null
  return taken === 0 ? begun : (found.rows[taken - 1]?.behind ?? null)
}
