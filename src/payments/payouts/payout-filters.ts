import { Type } from 'typebox'
import {
  type FilterFacts,
  type FilterScan,
  type FilterTable,
  type FilterTexts,
  findScanFilter,
  noFilters,
} from '../../api/http/lists/list-filters.ts'
import type { ListWindow } from '../../api/http/lists/lists.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import { PAYOUT_FAILURES } from '../../rails/rail.ts'
import { PAYOUT_KINDS, PAYOUT_STATUSES } from './payout.ts'

/**
 * The filters of a list of payouts `p` (spec 4.2; contract.md 2.3b): of the API, the page, its totals and its CSV file. A new one is a line
 * here, and a field of the page in web/dashboard/payouts/payout-list.tsx.
 */
export const PAYOUT_FILTERS = {
  status: {
    query: Type.Optional(Type.Enum(PAYOUT_STATUSES)),
    choices: PAYOUT_STATUSES,
    condition: '(:status::text is null or p.status = :status)',
  },
  reference: {
    query: Type.Optional(Type.String()),
    condition: '(:reference::text is null or p.reference = :reference)',
    scan: 'p.reference is not null and p.reference = :reference::text',
  },
  phone: {
    query: Type.Optional(Type.String({ description: "the recipient's, matched on the last 9 digits" })),
    condition: '(:phone::text is null or right(p.recipient_phone, 9) = :phone)',
    scan: 'right(p.recipient_phone, 9) = :phone::text',
    parse: parsePhoneFilter,
  },
} as const satisfies FilterTable<string>

/** What the page can filter by besides, among the newest rows only, as with charges (`narrowPayoutFilter`). */
const PAYOUT_SEARCHES = {
  part: {
    query: Type.Optional(Type.String()),
    condition: `(:part::text is null or position(:part in lower(p.reference)) > 0 or position(:part in lower(p.recipient_name)) > 0
      or position(ltrim(:part, '0') in right(p.recipient_phone, 9)) > 0)`,
    parse: (typed: string) => typed.toLowerCase(),
  },
  amount_from: {
    query: Type.Optional(Type.Integer()),
    condition: '(:amount_from::bigint is null or p.amount >= :amount_from)',
  },
  amount_until: {
    query: Type.Optional(Type.Integer()),
    condition: '(:amount_until::bigint is null or p.amount <= :amount_until)',
  },
  kind: {
    query: Type.Optional(Type.Enum([...PAYOUT_KINDS])),
    choices: PAYOUT_KINDS,
    condition: '(:kind::text is null or p.kind = :kind)',
  },
  reason: {
    query: Type.Optional(Type.Enum(PAYOUT_FAILURES)),
    choices: PAYOUT_FAILURES,
    condition: '(:reason::text is null or p.failure_reason = :reason)',
  },
} as const satisfies FilterTable<string>

/** All filters of the page. */
export const PAYOUT_PAGE_FILTERS = { ...PAYOUT_FILTERS, ...PAYOUT_SEARCHES }

type PayoutFilterName = keyof typeof PAYOUT_PAGE_FILTERS

/** Which payouts to list. Bounds are inclusive; filters that are not used are null. */
export type PayoutFilter = ListWindow & FilterTexts<PayoutFilterName>

/** No filter: all payouts of a merchant and mode. */
export const NO_PAYOUT_FILTERS: FilterTexts<PayoutFilterName> = noFilters(PAYOUT_PAGE_FILTERS)

/** All filters, in the order of their parameters. */
export const EACH_PAYOUT_FILTER: readonly FilterFacts[] = Object.values(PAYOUT_FILTERS)
const EACH_PAGE_FILTER: readonly FilterFacts[] = Object.values(PAYOUT_PAGE_FILTERS)
const WITHOUT_INDEX = EACH_PAYOUT_FILTER.filter(
  (filter) => filter !== PAYOUT_FILTERS.status && filter.scan === undefined,
)

/** The scans of payouts. Each is a statement of the list and one of the totals. */
export const PAYOUT_SCANS = {
  // One scan for each status, each in the order of time, so that the cost of a page does not grow with the history.
  all: { suffix: '', branches: PAYOUT_STATUSES.map((status) => `p.status = '${status}'`), others: WITHOUT_INDEX },
  status: { suffix: ' by status', branches: ['p.status = :status::text'], others: WITHOUT_INDEX },
  reference: { suffix: ' by reference', branches: [PAYOUT_FILTERS.reference.scan], others: EACH_PAYOUT_FILTER },
  phone: { suffix: ' by phone', branches: [PAYOUT_FILTERS.phone.scan], others: EACH_PAYOUT_FILTER },
  searched: {
    suffix: ', searched',
    branches: PAYOUT_STATUSES.map((status) => `p.status = '${status}'`),
    others: EACH_PAGE_FILTER,
  },
} satisfies Record<string, FilterScan>

/** Whether no index answers this filter. */
export const isPayoutSearch = (filter: PayoutFilter): boolean =>
  (Object.keys(PAYOUT_SEARCHES) as (keyof typeof PAYOUT_SEARCHES)[]).some((name) => filter[name] !== null)

/** Chooses how to read the payouts of a filter: by one that has an index of its own, else by status, else all. */
export const choosePayoutScan = (filter: PayoutFilter): keyof typeof PAYOUT_SCANS =>
  isPayoutSearch(filter)
    ? 'searched'
    : (findScanFilter(PAYOUT_FILTERS, filter) ?? (filter.status === null ? 'all' : 'status'))
