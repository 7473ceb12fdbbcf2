import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, readListPage } from '../../api/http/lists/lists.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { type Invoice, type InvoiceStatus, invoiceStatusSql } from './invoice.ts'

/** Which invoices to list. `customer` is a part of the customer's name. */
export type InvoiceFilter = ListWindow & { status: InvoiceStatus | null; customer: string | null }

const invoiceSql = (today: string) => `select i.merchant_id as "merchantId", i.id, i.mode, i.number,
    i.customer_name as name, i.customer_phone as phone, i.customer_email as email, to_char(i.due_on, 'YYYY-MM-DD') as "dueOn", i.lines,
    i.note, i.reminds, i.sent_at as "sentAt", i.seen_at as "seenAt", i.forgotten_at as "forgottenAt", i.created_at as "createdAt",
    l.amount, c.id as "chargeId", ${invoiceStatusSql(today)} as status
  from invoices i join payment_links l on l.merchant_id = i.merchant_id and l.id = i.id
    left join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id and c.voided_at is null`

const BY_ID = statement<Invoice>('invoice', `${invoiceSql('$3')} where i.merchant_id = $1 and i.id = $2`)

const OF_PHONE = statement<Invoice>(
  'invoices of phone',
  `${invoiceSql('$4')} where i.merchant_id = $1 and i.mode = $2 and i.customer_phone = $3
   order by i.created_at desc, i.id desc limit $5`,
)
const LIST = listStatement<Invoice>(
  'list invoices',
  `${invoiceSql(':today')}
   where i.merchant_id = :merchantId and i.mode = :mode and i.created_at >= :bound and (i.created_at, i.id) < (:cursorAt, :cursorId)
     and (:status::text is null or ${invoiceStatusSql(':today')} = :status)
     and (:customer::text is null or position(lower(:customer) in lower(i.customer_name)) > 0)
   order by i.created_at desc, i.id desc limit :limit`,
  { filters: ['today', 'status', 'customer'] },
)

/** Reads an invoice with its state at this time, in a transaction that decides about it. */
export const readInvoice = (merchantId: number, id: string, at: Date): Call<Invoice> =>
  call(BY_ID, merchantId, id, kampalaDay(at))

/** Finds an invoice of either mode; null for a link that is none. */
export function findInvoice(app: App, { merchantId, id }: Pick<Invoice, 'merchantId' | 'id'>): Promise<Invoice | null> {
  const { statement: byId, values } = readInvoice(merchantId, id, app.clock.now())
  return firstRow(app.db.query(byId, values))
}

/** Gets an invoice of the caller's mode. Throws 404. */
export async function getInvoice(app: App, { merchantId, mode, tag }: Caller, id: string): Promise<Invoice> {
  const invoice = parseTag('lnk_', id) === tag ? await findInvoice(app, { merchantId, id }) : null
  if (invoice === null || invoice.mode !== mode) throw notFound('invoice')
  return invoice
}

/** The statements and values of the list with this filter. */
export const chooseInvoices = (app: Pick<App, 'clock'>, filter: InvoiceFilter) => ({
  window: filter,
  statement: LIST,
  filters: { today: kampalaDay(app.clock.now()), status: filter.status, customer: filter.customer },
})

/** One page of the caller's invoices, newest first. */
export const listInvoices = (app: App, caller: Caller, filter: InvoiceFilter): Promise<ListPage<Invoice>> =>
  readListPage(app, caller, {
    ...chooseInvoices(app, filter),
    find: async (id) => {
      const invoice = parseTag('lnk_', id) === caller.tag ? await findInvoice(app, { ...caller, id }) : null
      return invoice?.mode === caller.mode ? invoice : null
    },
  })

/** The newest invoices for a number, so many at most. */
export const listInvoicesOf = (
  app: App,
  { merchantId, mode }: MerchantMode,
  { phone, most }: { phone: string; most: number },
): Promise<Invoice[]> => app.db.query(OF_PHONE, [merchantId, mode, phone, kampalaDay(app.clock.now()), most])
