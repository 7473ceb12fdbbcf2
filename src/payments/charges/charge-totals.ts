import type { Caller } from '../../api/access/actor.ts'
import { filterConditions, filterValues } from '../../api/http/lists/list-filters.ts'
import { type ListTotals, readTotals, totalsStatement } from '../../api/http/lists/list-totals.ts'
import { mapValues } from '../../platform/map-values.ts'
import type { App } from '../../program/app.ts'
import { CHARGE_FILTERS, CHARGE_SCANS, type ChargeFilter, chooseChargeScan } from './charge-filters.ts'

const WINDOW = `c.merchant_id = :merchantId and c.mode = :mode and c.published and c.created_at >= :from and c.created_at <= :until`

// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const TOTALS = mapValues(CHARGE_SCANS, ({ suffix, branches, others }) =>
  totalsStatement(`totals of charges${suffix}`, {
    paid: "c.status in ('succeeded', 'refunded')",
    rows: (columns, condition) =>
      branches
        .map((branch) => [WINDOW, branch, ...filterConditions(others)].join(' and '))
        .map((where) => `select ${columns} from charges c where ${where} ${condition}`)
        .join(' union all '),
    filters: Object.keys(CHARGE_FILTERS),
  }),
)

/** Reads the totals of the charges that a filter finds. */
export const readChargeTotals = (app: App, caller: Caller, filter: ChargeFilter): Promise<ListTotals> =>
  readTotals(app, caller, {
    window: filter,
    statement: TOTALS[chooseChargeScan(filter)],
    filters: filterValues(CHARGE_FILTERS, filter),
  })
