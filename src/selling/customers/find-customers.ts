import type { Caller } from '../../api/access/actor.ts'
import type { ListTotals } from '../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../api/http/lists/lists.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { NO_CHARGE_FILTERS } from '../../payments/charges/charge-filters.ts'
import { STATUS_SCANS } from '../../payments/charges/charge-indexes.ts'
import { listCharges, readChargeTotals } from '../../payments/charges/find-charges.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { bindValues, statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { listInvoicesOf } from '../invoices/find-invoices.ts'
import type { Invoice } from '../invoices/invoice.ts'

/** What the shop has written down about a number. */
export type CustomerNote = { phone: string; name: string | null; note: string | null }

/** A customer of the list. `payments`, `paid` and `amount` (whole UGX) are of the newest payments that were looked at. */
export type ListedCustomer = Omit<CustomerNote, 'note'> & {
  payments: number
  paid: number
  amount: number
  lastAt: Date | null
}

/** One customer: what was written down, the newest payments, what all of them come to, and the newest invoices. */
export type Customer = CustomerNote & { charges: readonly Charge[]; totals: ListTotals; invoices: readonly Invoice[] }

/** Customers are gathered from this many of the newest payments. */
export const MAX_PAYMENTS_GATHERED = 2000
const MAX_CUSTOMERS_LISTED = 50
const CHARGES_SHOWN = '25'
// A page shows them all: of a customer with more, the newest.
const MAX_INVOICES_SHOWN = 50
const PHONE = /^[0-9]{9,15}$/
// Of a shop that writes down very many only the newest are looked through for a part of a name.
const MAX_NOTES_SEARCHED = 10_000

const NOTE = statement<CustomerNote>(
  'customer',
  'select phone, name, note from customers where merchant_id = $1 and mode = $2 and phone = $3',
)

const NEWEST = STATUS_SCANS.map(
  (scan) => `(select c.phone, c.status, c.amount, c.created_at from charges c
     where c.merchant_id = :merchantId and c.mode = :mode and c.published and ${scan}
     order by c.created_at desc, c.id desc limit ${MAX_PAYMENTS_GATHERED})`,
).join(' union all ')

const RECENT = statement<ListedCustomer>(
  'recent customers',
  `select r.phone, u.name, r.payments, r.paid, r.amount, r.last_at as "lastAt"
   from (select phone, count(*)::int as payments, count(*) filter (where status in ('succeeded', 'refunded'))::int as paid,
       coalesce(sum(amount) filter (where status in ('succeeded', 'refunded')), 0)::bigint as amount, max(created_at) as last_at
     from (select * from (${NEWEST}) n order by created_at desc limit ${MAX_PAYMENTS_GATHERED}) c
     where phone is not null and (:digits::text is null or position(:digits in phone) > 0) group by phone) r
     left join customers u on u.merchant_id = :merchantId and u.mode = :mode and u.phone = r.phone
   order by r.last_at desc, r.phone limit ${MAX_CUSTOMERS_LISTED}`,
)
const NAMED = statement<ListedCustomer>(
  'customers by part of name',
  `select phone, name, 0 as payments, 0 as paid, 0::bigint as amount, null::timestamptz as "lastAt"
   from (select phone, name, changed_at from customers where merchant_id = :merchantId and mode = :mode
     order by changed_at desc limit ${MAX_NOTES_SEARCHED}) u
   where position(:part in lower(name)) > 0 or (:digits::text is not null and position(:digits in phone) > 0)
   order by changed_at desc limit ${MAX_CUSTOMERS_LISTED}`,
)
const CARDS = statement<{ id: string; last4: string }>(
  'gift cards of charges',
  `select distinct g.id, g.last4 from gift_card_uses u join gift_cards g on g.merchant_id = u.merchant_id and g.id = u.card_id
   where u.merchant_id = $1 and u.charge_id = any($2::text[])`,
)

/** Lists the customers of the newest payments, the last one first; with a part of a number or a name also those written down. */
export async function listCustomers({ db }: App, caller: Caller, part: string | null): Promise<ListedCustomer[]> {
  const { merchantId, mode } = caller
  const wanted = part?.trim().toLowerCase() ?? ''
  const digits = wanted.replace(/[^0-9]/g, '').replace(/^0+/, '') || null
  const values = { merchantId, mode, part: wanted, digits }
  const isName = wanted !== '' && digits === null
  const [recent, named] = await Promise.all([
    isName ? [] : db.query(RECENT, bindValues(RECENT, values)),
    wanted === '' ? [] : db.query(NAMED, bindValues(NAMED, values)),
  ])
  const seen = new Set(recent.map(({ phone }) => phone))
  return [...recent, ...named.filter(({ phone }) => !seen.has(phone))].slice(0, MAX_CUSTOMERS_LISTED)
}

/** Gets a customer of the caller's mode by the stored number. Throws 404 for a number that has neither payments, nor a note, nor invoices. */
export async function getCustomer(app: App, caller: Caller, phone: string): Promise<Customer> {
  if (!PHONE.test(phone)) throw notFound('customer')
  const { merchantId, mode } = caller
  const filter = { ...parseListWindow({ limit: CHARGES_SHOWN }), ...NO_CHARGE_FILTERS, phone }
  const [written, page, totals, invoices] = await Promise.all([
    firstRow(app.db.query(NOTE, [merchantId, mode, phone])),
    listCharges(app, caller, filter),
    readChargeTotals(app, caller, filter),
    listInvoicesOf(app, caller, { phone, most: MAX_INVOICES_SHOWN }),
  ])
  if (written === null && page.data.length === 0 && invoices.length === 0) throw notFound('customer')
  return { ...(written ?? { phone, name: null, note: null }), charges: page.data, totals, invoices }
}

/** Reads the gift cards that took part in these charges. */
export const readCardsOf = (
  { db }: App,
  merchantId: number,
  charges: readonly Charge[],
): Promise<{ id: string; last4: string }[]> => {
  const ids = charges.filter(({ giftCardAmount }) => giftCardAmount > 0).map(({ id }) => id)
  return ids.length === 0 ? Promise.resolve([]) : db.query(CARDS, [merchantId, ids])
}
