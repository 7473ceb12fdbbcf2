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
import { groupByCharge, sharesOfCharges } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'
import {
  CHARGE_PAGE_FILTERS,
  CHARGE_SCANS,
  type ChargeFilter,
  chooseChargeScan,
  EACH_CHARGE_FILTER,
  isChargeSearch,
} from './charge-filters.ts'

const CHARGE_BY_ID = statement<Charge>(
  'charge by id',
  `select ${CHARGE_COLUMNS} from charges c where c.merchant_id = $1 and c.id = $2 and c.mode = $3 and c.published`,
)

const CHARGES_BY_ID = statement<Charge>(
  'charges by id',
  `select ${CHARGE_COLUMNS} from charges c where c.merchant_id = $1 and c.mode = $2 and c.published and c.id = any($3::text[])`,
)

const CHARGE_OF_LINK = statement<Charge>(
  'charge of payment link',
  `select ${CHARGE_COLUMNS} from charges c
   where c.merchant_id = $1 and c.id = $2 and c.payment_link_id = $3 and c.voided_at is null`,
)

const WINDOW = `c.merchant_id = :merchantId and c.mode = :mode and c.published and c.created_at >= :bound
  and (c.created_at, c.id) < (:cursorAt, :cursorId)`
const NEWEST = 'order by c.created_at desc, c.id desc limit :limit'
const FILTERS = filterConditions(EACH_CHARGE_FILTER).join(' and ')
const FILTER_ORDER = Object.keys(CHARGE_PAGE_FILTERS)

// Merges the ordered scans of several indexes, so that its cost does not grow with the history.
const LISTS = mapValues(CHARGE_SCANS, ({ suffix, branches, others }, name) =>
  listStatement<Charge>(
    `list charges${suffix}`,
    `select * from (${branches
      .map(
        (branch) =>
          `(select ${CHARGE_COLUMNS} from charges c where ${WINDOW} and ${branch} and ${name === 'searched' ? filterConditions(others).join(' and ') : FILTERS} ${NEWEST})`,
      )
      .join(' union all ')}) c order by "createdAt" desc, id desc limit :limit`,
    { ...PLANNED_ONCE, filters: FILTER_ORDER },
  ),
)

const SEARCH_END = searchEndStatement(
  'charges searched back to',
  CHARGE_SCANS.searched.branches.map(
    (branch) => `select c.created_at as "createdAt", c.id from charges c where ${WINDOW} and ${branch} ${NEWEST}`,
  ),
)

/** Narrows a filter that no index answers to the newest charges of its window; others stay as they are. */
export const narrowChargeFilter = (app: App, caller: Caller, filter: ChargeFilter) =>
  narrowToSearched(app, caller, { filter, isSearch: isChargeSearch(filter), end: SEARCH_END })

/** Returns the caller's charge in the key's mode. Throws 404 (spec 1.3). */
export async function getCharge(app: App, caller: Caller, id: string): Promise<Charge> {
  const [charge] =
    parseTag('txn_', id) === caller.tag ? await app.db.query(CHARGE_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!charge) throw notFound('charge')
  await attachShares(app, [charge])
  return charge
}

/** Returns those of these charges that the caller may see in its mode. */
export async function findCharges(app: App, caller: Caller, ids: readonly string[]): Promise<Charge[]> {
  const charges = await app.db.query(CHARGES_BY_ID, [caller.merchantId, caller.mode, textColumn(ids)])
  await attachShares(app, charges)
  return charges
}

/** Returns a charge that was created on this link, shown or not yet, or null; for the pages of its customer, who knows its id. */
export const findChargeOfLink = (
  app: App,
  { merchantId, linkId, chargeId }: { merchantId: number; linkId: string; chargeId: string },
): Promise<Charge | null> => firstRow(app.db.query(CHARGE_OF_LINK, [merchantId, chargeId, linkId]))

/** Reads one page of the caller's charges, newest first. */
export async function listCharges(app: App, caller: Caller, filter: ChargeFilter): Promise<ListPage<Charge>> {
  const page = await readListPage(app, caller, {
    ...chargeListQuery(filter),
    find: (id) => nullIfRefused(getCharge(app, caller, id)),
  })
  await attachShares(app, page.data)
  return page
}

/** Reads one page like `listCharges`, for programs: a filter that no index answers goes on from page to page (`readSearchedPage`). */
export async function listChargesInSteps(app: App, caller: Caller, filter: ChargeFilter): Promise<ListPage<Charge>> {
  if (!isChargeSearch(filter)) return listCharges(app, caller, filter)
  const find = (id: string) => nullIfRefused(getCharge(app, caller, id))
  const page = await readSearchedPage(app, caller, { ...chargeListQuery(filter), find, end: SEARCH_END })
  await attachShares(app, page.data)
  return page
}

/** Reads the shares of split charges and sets them; sends nothing when there are no split charges. */
async function attachShares(app: App, charges: readonly Charge[]): Promise<void> {
  const split = charges.filter((charge) => charge.shares !== null)
  if (split.length === 0) return
  const shares = sharesOfCharges(split)
  const sharesByCharge = groupByCharge(await app.db.query(shares.statement, shares.values))
  for (const charge of split) charge.split = sharesByCharge.get(charge.id) ?? []
}

/** Chooses the statement that finds these charges, with its values; it returns split charges without their shares. */
export const chargeListQuery = (filter: ChargeFilter) => ({
  window: filter,
  statement: LISTS[chooseChargeScan(filter)],
  filters: filterValues(CHARGE_PAGE_FILTERS, filter),
})

const TOTALS_WINDOW = `c.merchant_id = :merchantId and c.mode = :mode and c.published and c.created_at >= :from and c.created_at <= :until`

// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const TOTALS = mapValues(CHARGE_SCANS, ({ suffix, branches, others }) =>
  totalsStatement(`totals of charges${suffix}`, {
    paid: "c.status in ('succeeded', 'refunded')",
    rows: (columns, condition) =>
      branches
        .map((branch) => [TOTALS_WINDOW, branch, ...filterConditions(others)].join(' and '))
        .map((where) => `select ${columns} from charges c where ${where} ${condition}`)
        .join(' union all '),
    filters: FILTER_ORDER,
  }),
)

/** Reads the totals of the charges that a filter finds. */
export const readChargeTotals = (app: App, caller: Caller, filter: ChargeFilter): Promise<ListTotals> =>
  readTotals(app, caller, {
    window: filter,
    statement: TOTALS[chooseChargeScan(filter)],
    filters: filterValues(CHARGE_PAGE_FILTERS, filter),
  })
