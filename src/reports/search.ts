import type { Caller } from '../api/access/actor.ts'
import { mayDo } from '../api/access/allow.ts'
import { parseListWindow } from '../api/http/lists/lists.ts'
import type { Charge } from '../payments/charges/charge.ts'
import { NO_CHARGE_FILTERS } from '../payments/charges/charge-filters.ts'
import { listCharges } from '../payments/charges/find-charges.ts'
import {
  searchChargesByAmount,
  searchChargesByOperatorNumber,
  searchChargesByRailReference,
} from '../payments/charges/search-charges.ts'
import { listPayouts, searchPayoutsByOperatorNumber } from '../payments/payouts/find-payouts.ts'
import type { Payout } from '../payments/payouts/payout.ts'
import { NO_PAYOUT_FILTERS } from '../payments/payouts/payout-filters.ts'
import { parseTag } from '../platform/text/ids.ts'
import type { App } from '../program/app.ts'
import { findLink, listLinks } from '../selling/payment-links/find-links.ts'
import type { LinkWithCharges } from '../selling/payment-links/payment-link.ts'

/** The result of a search. `id`: the text is the id of an object of the merchant; its page says whether it exists. */
export type SearchResult =
  | { kind: 'id'; prefix: SearchPrefix; id: string }
  | {
      kind: 'lists'
      charges: readonly Charge[]
      payouts: readonly Payout[]
      links: readonly LinkWithCharges[]
    }

/** The prefixes of ids that have a page. */
const PREFIXES = [
  'txn_',
  'pout_',
  'lnk_',
  'ord_',
  'spo_',
  'sub_',
  'gc_',
  'itm_',
  'dsp_',
  'evt_',
  'batch_',
  'setl_',
] as const
export type SearchPrefix = (typeof PREFIXES)[number]

const MATCHES_PER_KIND = 10
// Amounts have no index: only so many of the latest charges are searched.
const AMOUNT_SEARCH_CHARGES = 5000
const MAX_QUERY_LENGTH = 255
const NO_MATCHES = { kind: 'lists', charges: [], payouts: [], links: [] } as const satisfies SearchResult
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Searches for one text in the caller's mode: an id, a reference, a phone, an e-mail, the number of the operator's SMS, the reference at
 * the operator, an amount. Every look-up is bounded.
 */
export async function searchObjects(app: App, caller: Caller, text: string): Promise<SearchResult> {
  const query = text.trim().slice(0, MAX_QUERY_LENGTH)
  if (query === '') return NO_MATCHES
  const prefix = PREFIXES.find((prefix) => parseTag(prefix, query) === caller.tag)
  if (prefix === 'lnk_') return { kind: 'id', prefix: await readLinkPrefix(app, caller, query), id: query }
  if (prefix !== undefined) return { kind: 'id', prefix, id: query }
  const window = parseListWindow({ limit: String(MATCHES_PER_KIND) })
  const anyCharge = { ...window, ...NO_CHARGE_FILTERS }
  const amount = parseSearchedAmount(query)
  const charges = await Promise.all([
    listCharges(app, caller, { ...anyCharge, reference: query }).then(({ data }) => data),
    listCharges(app, caller, { ...anyCharge, phone: query }).then(({ data }) => data),
    query.includes('@') ? listCharges(app, caller, { ...anyCharge, email: query }).then(({ data }) => data) : [],
    searchChargesByOperatorNumber(app, caller, query, MATCHES_PER_KIND),
    UUID.test(query) ? searchChargesByRailReference(app, caller, query.toLowerCase(), MATCHES_PER_KIND) : [],
    amount === null
      ? []
      : searchChargesByAmount(app, caller, { amount, limit: MATCHES_PER_KIND, among: AMOUNT_SEARCH_CHARGES }),
  ])
  const links = await listLinks(app, caller, { ...window, reference: query })
  return {
    kind: 'lists',
    charges: newestFew(charges.flat()),
    payouts: mayDo(caller, 'payouts.read') ? await searchPayouts(app, caller, query) : [],
    links: links.data,
  }
}

/** The prefix of the page for this id: an order of a machine is a link too, under the same id. */
async function readLinkPrefix(
  app: App,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
): Promise<'lnk_' | 'ord_'> {
  const link = await findLink(app, { merchantId, id })
  return link?.kind === 'order' ? 'ord_' : 'lnk_'
}

async function searchPayouts(app: App, caller: Caller, query: string): Promise<Payout[]> {
  const anyPayout = { ...parseListWindow({ limit: String(MATCHES_PER_KIND) }), ...NO_PAYOUT_FILTERS }
  const payouts = await Promise.all([
    listPayouts(app, caller, { ...anyPayout, reference: query }).then(({ data }) => data),
    listPayouts(app, caller, { ...anyPayout, phone: query }).then(({ data }) => data),
    searchPayoutsByOperatorNumber(app, caller, query, MATCHES_PER_KIND),
  ])
  return newestFew(payouts.flat())
}

/** The newest of these rows, without duplicates. */
function newestFew<Row extends { id: string; createdAt: Date }>(rows: readonly Row[]): Row[] {
  const each = [...new Map(rows.map((row) => [row.id, row])).values()]
  return each.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, MATCHES_PER_KIND)
}

function parseSearchedAmount(text: string): number | null {
  const digits = text.replace(/^UGX\s*/i, '').replaceAll(/[ ,]/g, '')
  return /^[0-9]{1,12}$/.test(digits) ? Number(digits) : null
}
