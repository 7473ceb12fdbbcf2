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
import { CHANNELS, CHARGE_FAILURES } from '../../rails/rail.ts'
import { CHARGE_STATUSES } from './charge.ts'
import {
  detailScans,
  FINISHED_CHARGES,
  isOpenStatus,
  OPEN_CHARGES,
  SEVERAL_STATUS_SCANS,
  STATUS_SCANS,
} from './charge-indexes.ts'

/**
 * The filters of a list of charges `c` (spec 4.1): of the API, the page, its totals and its CSV file. A new one is a line here, and a field
 * of the page in web/dashboard/charges/charge-list.tsx. `status` has no scan of its own because open and finished charges are in different
 * indexes (CHARGE_SCANS).
 */
export const CHARGE_FILTERS = {
  status: {
    query: severalOf(CHARGE_STATUSES, 'ChargeStatus'),
    choices: CHARGE_STATUSES,
    several: true,
    condition: "(:status::text is null or c.status = :status or c.status = any(string_to_array(:status, ',')))",
  },
  reference: {
    query: Type.Optional(Type.String()),
    condition: '(:reference::text is null or c.reference = :reference)',
    scan: 'c.reference is not null and c.reference = :reference::text',
  },
  phone: {
    query: Type.Optional(Type.String({ description: 'matched on the last 9 digits' })),
    condition: '(:phone::text is null or c.phone9 = :phone)',
    scan: 'c.phone9 is not null and c.phone9 = :phone::text',
    parse: parsePhoneFilter,
  },
  email: {
    query: Type.Optional(Type.String({ description: 'case does not matter' })),
    condition: '(:email::text is null or lower(c.email) = :email)',
    scan: 'c.email is not null and lower(c.email) = :email::text',
    parse: (typed: string) => typed.toLowerCase(),
  },
} as const satisfies FilterTable<string>

/**
 * What can be filtered by besides. No index answers these: on the page they look at the newest rows only (`narrowChargeFilter`), in the API a
 * page goes on where the one before has stopped. `part`: in lower case; a number in it has no zero before it.
 */
const CHARGE_SEARCHES = {
  part: {
    query: Type.Optional(Type.String()),
    condition: `(:part::text is null or position(:part in lower(c.reference)) > 0 or position(:part in lower(c.email)) > 0
      or position(ltrim(:part, '0') in c.phone9) > 0)`,
    parse: (typed: string) => typed.toLowerCase(),
  },
  amount_from: {
    query: Type.Optional(Type.Integer()),
    condition: '(:amount_from::bigint is null or c.amount >= :amount_from)',
  },
  amount_until: {
    query: Type.Optional(Type.Integer()),
    condition: '(:amount_until::bigint is null or c.amount <= :amount_until)',
  },
  channel: {
    query: Type.Optional(Type.Enum(CHANNELS, { $id: 'Channel' })),
    choices: CHANNELS,
    condition: '(:channel::text is null or c.channel = :channel)',
  },
  reason: {
    query: Type.Optional(Type.Enum(CHARGE_FAILURES, { $id: 'ChargeFailureReason' })),
    choices: CHARGE_FAILURES,
    condition: '(:reason::text is null or c.failure_reason = :reason)',
  },
  payment_link: {
    query: Type.Optional(Type.String({ description: 'the id of the link on which they were made' })),
    condition: '(:payment_link::text is null or c.payment_link_id = :payment_link)',
  },
} as const satisfies FilterTable<string>

/** The query parameters of the API's list. */
export const CHARGE_QUERY = {
  ...filterQuery(CHARGE_FILTERS),
  amount: AMOUNT_QUERY,
  channel: CHARGE_SEARCHES.channel.query,
  failure_reason: CHARGE_SEARCHES.reason.query,
  payment_link: CHARGE_SEARCHES.payment_link.query,
  ...LIST_QUERY,
}

/** Parses the query of the API's list. Throws 400. */
export function parseChargeQuery(query: ListQuery): ChargeFilter {
  const listed = parseFilters(CHARGE_FILTERS, query)
  const amount = parseAmountFilter('amount', query.amount)
  return {
    ...NO_CHARGE_FILTERS,
    ...listed,
    ...{ amount_from: amount, amount_until: amount },
    channel: parseListChoice('channel', query.channel, CHANNELS),
    reason: parseListChoice('failure_reason', query.failure_reason, CHARGE_FAILURES),
    payment_link: query.payment_link ?? null,
  }
}

/** All filters of the page. */
export const CHARGE_PAGE_FILTERS = { ...CHARGE_FILTERS, ...CHARGE_SEARCHES }

type ChargeFilterName = keyof typeof CHARGE_PAGE_FILTERS

/** Which charges to list. Bounds are inclusive; filters that are not used are null. */
export type ChargeFilter = ListWindow & FilterTexts<ChargeFilterName>

/** No filter: all charges of a merchant and mode. The API's list begins with it, because its own filters are fewer. */
export const NO_CHARGE_FILTERS: FilterTexts<ChargeFilterName> = noFilters(CHARGE_PAGE_FILTERS)

/** The filters that an index answers, and those besides, in the order of their parameters. */
export const EACH_CHARGE_FILTER: readonly FilterFacts[] = Object.values(CHARGE_FILTERS)
const EACH_PAGE_FILTER: readonly FilterFacts[] = Object.values(CHARGE_PAGE_FILTERS)
const WITHOUT_INDEX = EACH_CHARGE_FILTER.filter(
  (filter) => filter !== CHARGE_FILTERS.status && filter.scan === undefined,
)

const DETAIL_SCANS = detailScans(':mode::mode')
const detailScan = (name: string, condition: string): FilterScan => ({
  suffix: ` by ${name}`,
  branches: DETAIL_SCANS.map((scan) => `${scan} and ${condition}`),
  others: EACH_CHARGE_FILTER,
})
const statusScan = (suffix: string, scan: string): FilterScan => ({
  suffix,
  branches: [`${scan} and c.status = :status::text`],
  others: WITHOUT_INDEX,
})

/** The scans of charges. Each is a statement of the list and one of the totals. */
export const CHARGE_SCANS = {
  all: { suffix: '', branches: STATUS_SCANS, others: WITHOUT_INDEX },
  openStatus: statusScan(' by open status', OPEN_CHARGES),
  finishedStatus: statusScan(' by status', FINISHED_CHARGES),
  severalStatuses: { suffix: ' by several statuses', branches: SEVERAL_STATUS_SCANS, others: WITHOUT_INDEX },
  reference: detailScan('reference', CHARGE_FILTERS.reference.scan),
  phone: detailScan('phone', CHARGE_FILTERS.phone.scan),
  email: detailScan('email', CHARGE_FILTERS.email.scan),
  searched: { suffix: ', searched', branches: STATUS_SCANS, others: EACH_PAGE_FILTER },
} satisfies Record<string, FilterScan>

/** Whether no index answers this filter. */
export const isChargeSearch = (filter: ChargeFilter): boolean =>
  (Object.keys(CHARGE_SEARCHES) as (keyof typeof CHARGE_SEARCHES)[]).some((name) => filter[name] !== null)

/** Chooses how to read the charges of a filter: by one that has an index of its own, else by status, else all. */
export function chooseChargeScan(filter: ChargeFilter): keyof typeof CHARGE_SCANS {
  if (isChargeSearch(filter)) return 'searched'
  const name = findScanFilter(CHARGE_FILTERS, filter)
  if (name !== null) return name
  if (filter.status === null) return 'all'
  if (filter.status.includes(',')) return 'severalStatuses'
  return isOpenStatus(filter.status) ? 'openStatus' : 'finishedStatus'
}
