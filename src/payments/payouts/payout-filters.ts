import { Type } from 'typebox'
import { parseListChoice, severalOf } from '../../api/http/lists/list-choices.ts'
import {
  type FilterFacts,
  type FilterScan,
  type FilterTable,
  type FilterTexts,
  filterQuery,
  findScanFilter,
  noFilters,
  parseFilters,
} from '../../api/http/lists/list-filters.ts'
import {
  AMOUNT_QUERY,
  LIST_QUERY,
  type ListQuery,
  type ListWindow,
  parseAmountFilter,
} from '../../api/http/lists/lists.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import { PAYOUT_FAILURES } from '../../rails/rail.ts'
import { PAYOUT_KINDS, PAYOUT_STATUSES } from './payout.ts'

/**
 * The filters of a list of payouts `p` (spec 4.2; contract.md 2.3b): of the API, the page, its totals and its CSV file. A new one is a line
 * here, and a field of the page in web/dashboard/payouts/payout-list.tsx.
 */
export const PAYOUT_FILTERS = {
  status: {
    query: severalOf(PAYOUT_STATUSES, 'PayoutStatus'),
    choices: PAYOUT_STATUSES,
    several: true,
    condition: "(:status::text is null or p.status = :status or p.status = any(string_to_array(:status, ',')))",
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

/** What can be filtered by besides, on the page among the newest rows only, as with charges (`narrowPayoutFilter`). */
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
    query: Type.Optional(Type.Enum([...PAYOUT_KINDS], { $id: 'PayoutKind' })),
    choices: PAYOUT_KINDS,
    condition: '(:kind::text is null or p.kind = :kind)',
  },
  reason: {
    query: Type.Optional(Type.Enum(PAYOUT_FAILURES, { $id: 'PayoutFailureReason' })),
    choices: PAYOUT_FAILURES,
    condition: '(:reason::text is null or p.failure_reason = :reason)',
  },
  batch: {
    query: Type.Optional(Type.String({ description: 'the id of the bulk call' })),
    condition: '(:batch::text is null or p.batch_id = :batch)',
  },
  schedule: {
    query: Type.Optional(Type.String({ description: 'the id of the scheduled payout' })),
    condition: '(:schedule::text is null or p.schedule_id = :schedule)',
  },
} as const satisfies FilterTable<string>

/** The query parameters of the API's list. */
export const PAYOUT_QUERY = {
  ...filterQuery(PAYOUT_FILTERS),
  amount: AMOUNT_QUERY,
  failure_reason: PAYOUT_SEARCHES.reason.query,
  batch: PAYOUT_SEARCHES.batch.query,
  schedule: PAYOUT_SEARCHES.schedule.query,
  ...LIST_QUERY,
}

/** Parses the query of the API's list. Throws 400. */
export function parsePayoutQuery(query: ListQuery): PayoutFilter {
  const listed = parseFilters(PAYOUT_FILTERS, query)
  const amount = parseAmountFilter('amount', query.amount)
  return {
    ...NO_PAYOUT_FILTERS,
    ...listed,
    ...{ amount_from: amount, amount_until: amount },
    reason: parseListChoice('failure_reason', query.failure_reason, PAYOUT_FAILURES),
    batch: query.batch ?? null,
    schedule: query.schedule ?? null,
  }
}

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
  // A scan of another status ends before it begins.
  severalStatuses: {
    suffix: ' by several statuses',
    branches: PAYOUT_STATUSES.map(
      (status) => `p.status = '${status}' and '${status}' = any(string_to_array(:status::text, ','))`,
    ),
    others: WITHOUT_INDEX,
  },
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
export function choosePayoutScan(filter: PayoutFilter): keyof typeof PAYOUT_SCANS {
  if (isPayoutSearch(filter)) return 'searched'
  const name = findScanFilter(PAYOUT_FILTERS, filter)
  if (name !== null) return name
  if (filter.status === null) return 'all'
  return filter.status.includes(',') ? 'severalStatuses' : 'status'
}
