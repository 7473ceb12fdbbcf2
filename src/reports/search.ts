import type { Caller } from '../actors/actor.ts'
import { mayDo } from '../actors/allow.ts'
import type { App } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { listCharges } from '../charges/find-charges.ts'
import {
  chargesByOperatorNumber,
  chargesByRailReference,
  chargesOfAmount,
} from '../charges/search-charges.ts'
import { readListWindow } from '../http/lists.ts'
import { findLink, listLinks } from '../payment-links/find-links.ts'
import type { LinkWithCharges } from '../payment-links/payment-link.ts'
import { listPayouts } from '../payouts/find-payouts.ts'
import type { Payout } from '../payouts/payout.ts'
import { payoutsByOperatorNumber } from '../payouts/search-payouts.ts'
import { tagOf } from '../platform/ids.ts'
import { identityIn } from '../platform/phone.ts'
import { asSeen } from '../platform/text.ts'

/** What a search found. `id`: the text is the id of this object of the merchant; its page says whether it is there. */
export type Found =
  | { kind: 'id'; prefix: Prefix; id: string }
  | {
      kind: 'lists'
      charges: readonly Charge[]
      payouts: readonly Payout[]
      links: readonly LinkWithCharges[]
    }

/** The ids that have a page. */
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
export type Prefix = (typeof PREFIXES)[number]

/** How many of each kind a search shows. */
const MOST_FOUND = 10
// Amounts have no index: they are looked for among the latest.
const AMONG = 5000
const LONGEST = 255
const NOTHING = { kind: 'lists', charges: [], payouts: [], links: [] } as const satisfies Found
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Looks for one text in the caller's mode: an id, a reference, a phone, an e-mail, the number of the operator's SMS, the reference at
 * the operator, an amount. Every look-up is bounded.
 */
export async function search(app: App, caller: Caller, text: string): Promise<Found> {
  const wanted = text.trim().slice(0, LONGEST)
  if (wanted === '') return NOTHING
  const prefix = PREFIXES.find((prefix) => tagOf(prefix, wanted) === caller.tag)
  if (prefix === 'lnk_') return { kind: 'id', prefix: await linkOrOrder(app, caller, wanted), id: wanted }
  if (prefix !== undefined) return { kind: 'id', prefix, id: wanted }
  const window = readListWindow({ limit: String(MOST_FOUND) })
  const none = { status: null, reference: null, phone: null, email: null }
  const phone = identityIn(asSeen(wanted))
  const amount = amountIn(wanted)
  const charges = await Promise.all([
    listCharges(app, caller, { ...window, ...none, reference: wanted }).then(({ data }) => data),
    phone === null
      ? []
      : listCharges(app, caller, { ...window, ...none, phone: wanted }).then(({ data }) => data),
    wanted.includes('@')
      ? listCharges(app, caller, { ...window, ...none, email: wanted }).then(({ data }) => data)
      : [],
    chargesByOperatorNumber(app, caller, wanted, MOST_FOUND),
    UUID.test(wanted) ? chargesByRailReference(app, caller, wanted.toLowerCase(), MOST_FOUND) : [],
    amount === null ? [] : chargesOfAmount(app, caller, { amount, most: MOST_FOUND, among: AMONG }),
  ])
  const links = await listLinks(app, caller, { ...window, reference: wanted })
  return {
    kind: 'lists',
    charges: first(charges.flat()),
    payouts: mayDo(caller, 'payouts.read') ? await payoutsFor(app, caller, { wanted, phone }) : [],
    links: links.data,
  }
}

/** An order of a machine is a link too, under the same id. */
export async function linkOrOrder(
  app: App,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
): Promise<'lnk_' | 'ord_'> {
  const link = await findLink(app, { merchantId, id })
  return link?.kind === 'order' ? 'ord_' : 'lnk_'
}

async function payoutsFor(
  app: App,
  caller: Caller,
  { wanted, phone }: { wanted: string; phone: string | null },
): Promise<Payout[]> {
  const window = readListWindow({ limit: String(MOST_FOUND) })
  const none = { status: null, reference: null, phone: null }
  const found = await Promise.all([
    listPayouts(app, caller, { ...window, ...none, reference: wanted }).then(({ data }) => data),
    phone === null
      ? []
      : listPayouts(app, caller, { ...window, ...none, phone: wanted }).then(({ data }) => data),
    payoutsByOperatorNumber(app, caller, wanted, MOST_FOUND),
  ])
  return first(found.flat())
}

/** The newest of these, each once. */
function first<Row extends { id: string; createdAt: Date }>(rows: readonly Row[]): Row[] {
  const each = [...new Map(rows.map((row) => [row.id, row])).values()]
  return each.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, MOST_FOUND)
}

function amountIn(text: string): number | null {
  const digits = text.replace(/^UGX\s*/i, '').replaceAll(/[ ,]/g, '')
  return /^[0-9]{1,12}$/.test(digits) ? Number(digits) : null
}
