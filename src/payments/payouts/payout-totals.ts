import type { Caller } from '../../api/access/actor.ts'
import { filterConditions, filterValues } from '../../api/http/lists/list-filters.ts'
import { type ListTotals, readTotals, totalsStatement } from '../../api/http/lists/list-totals.ts'
import { mapValues } from '../../platform/map-values.ts'
import type { App } from '../../program/app.ts'
import { choosePayoutScan, PAYOUT_FILTERS, PAYOUT_SCANS, type PayoutFilter } from './payout-filters.ts'

const WINDOW = `p.merchant_id = :merchantId and p.mode = :mode and p.published and p.created_at >= :from and p.created_at <= :until`

// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const TOTALS = mapValues(PAYOUT_SCANS, ({ suffix, branches, others }) =>
  totalsStatement(`totals of payouts${suffix}`, {
    paid: "p.status = 'succeeded'",
    rows: (columns, condition) =>
      branches
        .map((branch) => [WINDOW, branch, ...filterConditions(others)].join(' and '))
        .map((where) => `select ${columns} from payouts p where ${where} ${condition}`)
        .join(' union all '),
    filters: Object.keys(PAYOUT_FILTERS),
  }),
)

/** Reads the totals of the payouts that a filter finds. */
export const readPayoutTotals = (app: App, caller: Caller, filter: PayoutFilter): Promise<ListTotals> =>
  readTotals(app, caller, {
    window: filter,
    statement: TOTALS[choosePayoutScan(filter)],
    filters: filterValues(PAYOUT_FILTERS, filter),
  })
