import type { Caller } from '../../api/access/actor.ts'
import { filterConditions, filterValues } from '../../api/http/lists/list-filters.ts'
import { narrowToSearched, readSearchedPage, searchEndStatement } from '../../api/http/lists/list-search.ts'
import { listStatement, PLANNED_ONCE } from '../../api/http/lists/list-statement.ts'
import { type ListTotals, readTotals, totalsStatement } from '../../api/http/lists/list-totals.ts'
import { type ListPage, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { textColumn } from '../../platform/db/columns.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { mapValues } from '../../platform/map-values.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { PAYOUT_COLUMNS, type Payout } from './payout.ts'
import {
  choosePayoutScan,
  EACH_PAYOUT_FILTER,
  isPayoutSearch,
  PAYOUT_PAGE_FILTERS,
  PAYOUT_SCANS,
  type PayoutFilter,
} from './payout-filters.ts'

const PAYOUT_BY_ID = statement<Payout>(
  'payout by id',
  `select ${PAYOUT_COLUMNS} from payouts p where p.merchant_id = $1 and p.id = $2 and p.mode = $3 and p.published`,
)
const PAYOUTS_BY_ID = statement<Payout>(
  'payouts by id',
  `select ${PAYOUT_COLUMNS} from payouts p where p.merchant_id = $1 and p.mode = $2 and p.published and p.id = any($3::text[])`,
)
const HIDDEN_PAYOUTS = statement<{ id: string }>(
  'payouts that have no page yet',
  'select id from payouts where merchant_id = $1 and id = any($2::text[]) and not published',
)
const PAYOUT_IN_ANY_MODE = statement<Payout>(
  'payout in any mode',
  `select ${PAYOUT_COLUMNS} from payouts p where p.merchant_id = $1 and p.id = $2`,
)

const WINDOW = `p.merchant_id = :merchantId and p.mode = :mode and p.published and p.created_at >= :bound
  and (p.created_at, p.id) < (:cursorAt, :cursorId)`
const NEWEST = 'order by p.created_at desc, p.id desc limit :limit'
const FILTERS = filterConditions(EACH_PAYOUT_FILTER)
const FILTER_ORDER = Object.keys(PAYOUT_PAGE_FILTERS)

const selectBranch = (branch: string, filters: readonly string[]) =>
  `select ${PAYOUT_COLUMNS} from payouts p where ${[WINDOW, branch, ...filters].join(' and ')} ${NEWEST}`
const mergeBranches = (branches: readonly string[], filters: readonly string[]) =>
  `select * from (${branches.map((branch) => `(${selectBranch(branch, filters)})`).join(' union all ')}) p
   order by "createdAt" desc, id desc limit :limit`
const LISTS = mapValues(PAYOUT_SCANS, ({ suffix, branches, others }, name) => {
  const filters = name === 'searched' ? filterConditions(others) : FILTERS
  return listStatement<Payout>(
    `list payouts${suffix}`,
    branches.length === 1
      ? branches.map((branch) => selectBranch(branch, filters)).join('')
      : mergeBranches(branches, filters),
    // Those with an index of their own find few rows.
    { ...(name === 'reference' || name === 'phone' ? {} : PLANNED_ONCE), filters: FILTER_ORDER },
  )
})

const SEARCH_END = searchEndStatement(
  'payouts searched back to',
  PAYOUT_SCANS.searched.branches.map(
    (branch) => `select p.created_at as "createdAt", p.id from payouts p where ${WINDOW} and ${branch} ${NEWEST}`,
  ),
)

/** Narrows a filter that no index answers to the newest payouts of its window; others stay as they are. */
export const narrowPayoutFilter = (app: App, caller: Caller, filter: PayoutFilter) =>
  narrowToSearched(app, caller, { filter, isSearch: isPayoutSearch(filter), end: SEARCH_END })

/** Returns the caller's payout in the key's mode. Throws 404 (spec 1.3). */
export async function getPayout(app: App, caller: Caller, id: string): Promise<Payout> {
  const [payout] =
    parseTag('pout_', id) === caller.tag ? await app.db.query(PAYOUT_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!payout) throw notFound('payout')
  return payout
}

/** Returns those of these payouts that the caller may see in its mode. */
export const findPayouts = (app: App, { merchantId, mode }: Caller, ids: readonly string[]): Promise<Payout[]> =>
  app.db.query(PAYOUTS_BY_ID, [merchantId, mode, textColumn(ids)])

/** Finds a payout of this merchant in either mode, hidden or not; for commands and for the pages of customers who are refunded. */
export const findPayout = (app: App, merchantId: number, id: string): Promise<Payout | null> =>
  firstRow(app.db.query(PAYOUT_IN_ANY_MODE, [merchantId, id]))

/** Reads one page of the caller's payouts of every kind, newest first. */
export async function listPayouts(app: App, caller: Caller, filter: PayoutFilter): Promise<ListPage<Payout>> {
  return readListPage(app, caller, {
    ...payoutListQuery(filter),
    find: (id) => nullIfRefused(getPayout(app, caller, id)),
  })
}

/** Reads one page like `listPayouts`, for programs: a filter that no index answers goes on from page to page (`readSearchedPage`). */
export async function listPayoutsInSteps(app: App, caller: Caller, filter: PayoutFilter): Promise<ListPage<Payout>> {
  if (!isPayoutSearch(filter)) return listPayouts(app, caller, filter)
  const find = (id: string) => nullIfRefused(getPayout(app, caller, id))
  return readSearchedPage(app, caller, { ...payoutListQuery(filter), find, end: SEARCH_END })
}

/** Chooses the statement that finds these payouts, with its values. */
export const payoutListQuery = (filter: PayoutFilter) => ({
  window: filter,
  statement: LISTS[choosePayoutScan(filter)],
  filters: filterValues(PAYOUT_PAGE_FILTERS, filter),
})

/** Finds which of these payouts are hidden: the operator has not answered yet, or took nothing, and then the payout never existed. */
export async function findHiddenPayouts(
  app: App,
  { merchantId }: Caller,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await app.db.query(HIDDEN_PAYOUTS, [merchantId, ids])).map(({ id }) => id))
}

const TOTALS_WINDOW = `p.merchant_id = :merchantId and p.mode = :mode and p.published and p.created_at >= :from and p.created_at <= :until`

// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const TOTALS = mapValues(PAYOUT_SCANS, ({ suffix, branches, others }) =>
  totalsStatement(`totals of payouts${suffix}`, {
    paid: "p.status = 'succeeded'",
    rows: (columns, condition) =>
      branches
        .map((branch) => [TOTALS_WINDOW, branch, ...filterConditions(others)].join(' and '))
        .map((where) => `select ${columns} from payouts p where ${where} ${condition}`)
        .join(' union all '),
    filters: FILTER_ORDER,
  }),
)

/** Reads the totals of the payouts that a filter finds. */
export const readPayoutTotals = (app: App, caller: Caller, filter: PayoutFilter): Promise<ListTotals> =>
  readTotals(app, caller, {
    window: filter,
    statement: TOTALS[choosePayoutScan(filter)],
    filters: filterValues(PAYOUT_PAGE_FILTERS, filter),
  })

const BY_OPERATOR_NUMBER = statement<Payout>(
  'payouts by operator number',
  `select ${PAYOUT_COLUMNS} from payouts p
   where p.merchant_id = $1 and p.rail_transaction_id = $2 and p.mode = 'live' and $3::mode = 'live' and p.published limit $4`,
)

/** Searches live payouts by the operator's transaction number. */
export const searchPayoutsByOperatorNumber = (
  app: App,
  { merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>,
  number: string,
  limit: number,
): Promise<Payout[]> => app.db.query(BY_OPERATOR_NUMBER, [merchantId, number, mode, limit])
